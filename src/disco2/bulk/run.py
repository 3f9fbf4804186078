"""A corpus -> its relations in a folder: plan, hand out, collect, and say what is there."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from disco2.bulk.finding import FilePatterns, Found
from disco2.bulk.folder import FORMAT, RELATIONS, Json, OutputFolder, file_hash
from disco2.bulk.job import Job
from disco2.bulk.shards import shards_of
from disco2.bulk.standing import Count, Standing
from disco2.bulk.work import SEPARATOR, ShardWork
from disco2.engines import Engine, Outcome, Session, Task, outcomes_of
from disco2.errors import InputError
from disco2.files import write_text
from disco2.inference.pipeline import Pipeline

ATTEMPTS = 20  # deaths of processes on one shard, before somebody looks whether that leads anywhere
COMPARED = 20  # shards of a corpus that was moved

Report = Callable[[Standing], None]
Notice = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BulkSummary:
    """What is in the folder, and how much of it this run has made."""

    documents: int
    sentences: int
    relations: int
    errors: int
    bytes: int
    shards: int
    made: int  # shards


def predict_files(
    patterns: Sequence[str],
    output: Path,
    *,
    job: Job,
    opened: Callable[[], AbstractContextManager[Pipeline]],
    engine: Engine,
    restart: bool = False,
    report: Report = lambda standing: None,
    notice: Notice = lambda text: None,
) -> BulkSummary:
    """The relations of all files that match, in ``output``; what an earlier run has done there is kept.

    ``opened`` loads the pipeline in a worker. Documents without relations are listed in ``errors.jsonl``.
    """
    files = FilePatterns(patterns)
    files.check_folders()
    folder = OutputFolder(output.absolute(), job.settings.ending)
    first = next(files.walk(without=folder.path), None)
    if first is None:
        raise InputError(
            "No file matches.", where=", ".join(patterns), hint="Look what is there, and mind the quotes."
        )
    with folder.taken(job, files.described, restart=restart) as begin:
        work = ShardWork(files.root, folder, job, opened)
        if not restart:
            _check_place(work, _tasks(files.walk(without=folder.path), job))
        with Count(files.walk(without=folder.path), most_bytes=job.settings.most_bytes) as count:
            run = _Run(folder, count, report, notice)
            with engine.session(work, attempts=ATTEMPTS, notice=notice) as session:
                begin()
                folder.note_root(files.root)
                run.before = folder.keys()
                run.work_off(session, _tasks(files.walk(without=folder.path), job))
        for pattern in files.unmatched:
            notice(f"no file matches {pattern}")
        return run.finish(job, files.described)


def _check_place(work: ShardWork, tasks: Iterator[Task]) -> None:
    """Raise InputError where what is there was made from other texts at another place."""
    there = work.folder.keys()
    if not there or work.folder.is_from(work.root):
        return
    if not any(work.key(task.given) in there for task in islice(tasks, COMPARED)):
        raise work.folder.other_run("its files lay elsewhere, and had other texts")


def _tasks(found: Iterator[Found], job: Job) -> Iterator[Task]:
    settings = job.settings
    planned = shards_of(found, documents=settings.shard_documents, most_bytes=settings.most_bytes)
    for number, shard in enumerate(planned):
        yield Task(f"{number}", SEPARATOR.join(shard))


class _Run:
    """Collects what workers have done, by the number of the shard."""

    def __init__(self, folder: OutputFolder, count: Count, report: Report, notice: Notice) -> None:
        self._folder = folder
        self._count = count
        self._report = report
        self._notice = notice
        self.before: set[str] = set()  # keys of shards that were there when the run began
        self._done: dict[int, Json] = {}
        self._given_up: list[str] = []  # how processes ended
        self._standing = Standing()

    def work_off(self, session: Session, tasks: Iterator[Task]) -> None:
        begun = time.monotonic()
        self._report(replace(self._standing, workers=session.workers))
        for outcome in outcomes_of(session, tasks):
            self._take(outcome)
            self._standing = replace(
                self._standing,
                workers=session.workers,
                seconds=time.monotonic() - begun,
                all_documents=self._count.documents,
                all_bytes=self._count.bytes,
            )
            self._report(self._standing)

    def _take(self, outcome: Outcome) -> None:
        if outcome.error is not None:
            raise outcome.error
        if outcome.died:
            self._given_up.append(outcome.died)
            return
        record: Json = outcome.result
        # A shard may be done, and its worker or the scheduler end before that is heard of.
        made = record.pop("made") or record["key"] not in self.before
        if made and not self._folder.record(record["key"]).is_file():
            raise InputError(
                "A worker has written what can't be seen here.",
                where=str(self._folder.path),
                hint="The output must be on a disk that all machines have under the same path.",
            )
        self._done[int(outcome.task.key)] = record | {"made": made}
        before = self._standing
        self._standing = replace(
            before,
            documents=before.documents + record["documents"],
            bytes=before.bytes + record["bytes"],
            made_bytes=before.made_bytes + made * record["bytes"],
            made_sentences=before.made_sentences + made * record["sentences"],
        )

    def finish(self, job: Job, files: Sequence[str]) -> BulkSummary:
        """Write the errors and the manifest, and remove what they do not name."""
        if self._given_up:
            raise InputError(
                f"{len(self._given_up)} shards are missing: {ATTEMPTS} processes have ended on each, "
                f"at last {self._given_up[-1]}.",
                where=str(self._folder.path),
                hint="Is there enough memory? The others are done; give the same command again to go on.",
            )
        shards = [self._done[number] for number in sorted(self._done)]
        made = sum(shard.pop("made") for shard in shards)
        if len(shards) > made:
            self._notice(f"{len(shards) - made} of {len(shards)} shards were there already")
        totals = {
            name: sum(shard[name] for shard in shards)
            for name in ("documents", "bytes", "sentences", "relations", "errors")
        }
        write_text(self._folder.errors, self._refusals(shards))
        content = {
            "format": FORMAT,
            "job": job.to_json(),
            "files": list(files),
            **totals,
            "errors_sha256": file_hash(self._folder.errors),
        }
        write_text(self._folder.manifest, _manifest(content, shards, self._folder.format))
        self._folder.finish({shard["key"] for shard in shards})
        return BulkSummary(**totals, shards=len(shards), made=made)

    def _refusals(self, shards: Sequence[Json]) -> Iterator[str]:
        for shard in shards:
            if not shard["errors"]:
                continue
            record = self._folder.read_record(shard["key"])
            if record is None or len(record["refused"]) != shard["errors"]:
                raise InputError(
                    "The record of a shard was changed meanwhile.",
                    where=str(self._folder.record(shard["key"])),
                    hint="Give the same command again.",
                )
            for refused in record["refused"]:
                yield json.dumps(refused, ensure_ascii=False) + "\n"


def _manifest(content: Json, shards: Sequence[Json], ending: str) -> Iterator[str]:
    """One shard a line, however many there are."""
    yield json.dumps(content, ensure_ascii=False, indent=1).removesuffix("\n}")
    yield ',\n "shards": [\n'
    for number, shard in enumerate(shards):
        entry = {"file": f"{RELATIONS}/{shard['key']}.{ending}"} | {
            name: value for name, value in shard.items() if name != "key"
        }
        yield ("" if not number else ",\n") + f"  {json.dumps(entry, ensure_ascii=False)}"
    yield "\n ]\n}\n"
