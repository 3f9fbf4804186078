"""A corpus -> its relations in a folder: plan shards, give them to workers, write the manifest."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from disco2.bulk.documents import FilePatterns, Found, show_name, split_shards
from disco2.bulk.job import Job
from disco2.bulk.output import FORMAT, RELATIONS, Json, OutputFolder, file_hash
from disco2.bulk.work import SEPARATOR, ShardWork
from disco2.engines import Engine, Session, Task, outcomes_of
from disco2.errors import InputError
from disco2.files import write_text
from disco2.inference.pipeline import Pipeline

ATTEMPTS = 10  # dead processes on one shard before it is given up
MOST_GIVEN_UP = 3  # shards, before the run stops


@dataclass(frozen=True, slots=True)
class BulkProgress:
    """How far a run is; the totals are known when all files were counted."""

    documents: int = 0  # done, including those of earlier runs
    bytes: int = 0
    made_bytes: int = 0  # done by this run
    made_sentences: int = 0
    workers: int = 0
    seconds: float = 0.0  # since the run began
    all_documents: int | None = None
    all_bytes: int | None = None

    @property
    def rate(self) -> float:
        """Sentences a second."""
        return self.made_sentences / self.seconds if self.seconds else 0.0

    @property
    def left(self) -> float | None:
        """Estimated seconds until the end; None while unknown."""
        if self.all_bytes is None or not self.made_bytes:
            return None
        return (self.all_bytes - self.bytes) * self.seconds / self.made_bytes


@dataclass(frozen=True, slots=True)
class BulkSummary:
    """What is in the folder, and how many shards this run has made."""

    documents: int
    sentences: int
    relations: int
    errors: int
    bytes: int
    shards: int
    made: int  # shards


Report = Callable[[BulkProgress], None]
Notice = Callable[[str], None]


def predict_files(
    patterns: Sequence[str],
    output: Path,
    *,
    job: Job,
    opened: Callable[[], AbstractContextManager[Pipeline]],
    engine: Engine,
    restart: bool = False,
    report: Report = lambda progress: None,
    notice: Notice = lambda text: None,
) -> BulkSummary:
    """Write the relations of all files that match to ``output``; finished shards of earlier runs are kept.

    ``opened`` loads the pipeline in a worker. Documents without relations are listed in ``errors.jsonl``.
    """
    files = FilePatterns(patterns)
    files.check_folders()
    folder = OutputFolder(output.absolute(), job.settings.suffix)
    if next(files.walk(without=folder.path), None) is None:
        raise InputError(
            "No file matches.", where=", ".join(patterns), hint="Check the pattern, and put it in quotes."
        )
    wanted = {"format": FORMAT, "job": job.to_json(), "files": files.described}
    with folder.locked():
        if not restart:
            folder.check_same(wanted)
        work = ShardWork(files.root, folder, job, opened)
        counter = _Counter(files.walk(without=folder.path), most_bytes=job.settings.most_bytes)
        run = _Run(folder, counter, report)
        with engine.session(work, attempts=ATTEMPTS, notice=notice) as session:
            folder.begin(wanted, restart=restart)
            run.run_tasks(session, _tasks(files.walk(without=folder.path), job))
        for pattern in files.unmatched:
            notice(f"no file matches {pattern}")
        summary = run.finish(wanted)
    if summary.shards > summary.made:
        notice(f"{summary.shards - summary.made} of {summary.shards} shards were already there")
    return summary


def _tasks(found: Iterator[Found], job: Job) -> Iterator[Task]:
    settings = job.settings
    shards = split_shards(found, documents=settings.shard_documents, most_bytes=settings.most_bytes)
    for number, shard in enumerate(shards):
        yield Task(f"{number}", SEPARATOR.join(shard))


class _Counter:
    """Counts files in a thread while workers process the first of them."""

    def __init__(self, found: Iterable[Found], *, most_bytes: int) -> None:
        self.documents: int | None = None  # known when all are counted
        self.bytes: int | None = None
        Thread(target=self._count, args=(found, most_bytes), daemon=True).start()

    def _count(self, found: Iterable[Found], most_bytes: int) -> None:
        documents = total = 0
        with suppress(OSError):
            for one in found:
                documents += 1
                total += one.size if one.size <= most_bytes else 0
            self.documents, self.bytes = documents, total


class _Run:
    """Collects the records of shards and writes the manifest."""

    def __init__(self, folder: OutputFolder, counter: _Counter, report: Report) -> None:
        self._folder = folder
        self._counter = counter
        self._report = report
        self._done: dict[int, Json] = {}
        self._given_up: list[str] = []  # how processes ended

    def run_tasks(self, session: Session, tasks: Iterator[Task]) -> None:
        begun = time.monotonic()
        progress = BulkProgress(workers=session.workers)
        self._report(progress)
        for outcome in outcomes_of(session, tasks):
            if outcome.died:
                names = outcome.task.given.split(SEPARATOR)
                documents = f"{show_name(names[0])} to {show_name(names[-1])}"
                self._given_up.append(f"{documents}: {outcome.died}")
                self._check_given_up(MOST_GIVEN_UP)
                continue
            record: Json = outcome.result
            made = record["made"]
            if made and not self._folder.record(record["key"]).is_file():
                raise InputError(
                    "The output of a worker can't be seen here.",
                    where=str(self._folder.path),
                    hint="The output must be on a disk that all machines have under the same path.",
                )
            self._done[int(outcome.task.key)] = record
            progress = BulkProgress(
                documents=progress.documents + record["documents"],
                bytes=progress.bytes + record["bytes"],
                made_bytes=progress.made_bytes + made * record["bytes"],
                made_sentences=progress.made_sentences + made * record["sentences"],
                workers=session.workers,
                seconds=time.monotonic() - begun,
                all_documents=self._counter.documents,
                all_bytes=self._counter.bytes,
            )
            self._report(progress)
        self._check_given_up(0)

    def _check_given_up(self, most: int) -> None:
        if len(self._given_up) > most:
            raise InputError(
                f"{len(self._given_up)} shards are missing: {ATTEMPTS} processes died on each "
                f"({self._given_up[-1]}).",
                where=str(self._folder.path),
                hint="Is there enough memory? Finished shards are kept; run the same command to resume, or "
                "remove the document that ends its process.",
            )

    def finish(self, wanted: Json) -> BulkSummary:
        """Write the errors and the manifest, and remove files that they don't name."""
        shards = [self._done[number] for number in sorted(self._done)]
        made = sum(shard.pop("made") for shard in shards)
        totals = {
            name: sum(shard[name] for shard in shards)
            for name in ("documents", "bytes", "sentences", "relations", "errors")
        }
        write_text(self._folder.errors, self._error_lines(shards))
        content = {**wanted, **totals, "errors_sha256": file_hash(self._folder.errors)}
        write_text(self._folder.manifest, _manifest(content, shards, self._folder.suffix))
        self._folder.finish({shard["key"] for shard in shards})
        return BulkSummary(**totals, shards=len(shards), made=made)

    def _error_lines(self, shards: Sequence[Json]) -> Iterator[str]:
        for shard in shards:
            record = self._folder.read_record(shard["key"]) if shard["errors"] else {"refused": []}
            if record is None or len(record["refused"]) != shard["errors"]:
                raise InputError(
                    "The record of a shard was changed during the run.",
                    where=str(self._folder.record(shard["key"])),
                    hint="Run the same command again.",
                )
            for refused in record["refused"]:
                yield json.dumps(refused, ensure_ascii=False) + "\n"


def _manifest(content: Json, shards: Sequence[Json], suffix: str) -> Iterator[str]:
    """One shard a line, however many there are."""
    yield json.dumps(content, ensure_ascii=False, indent=1).removesuffix("\n}")
    yield ',\n "shards": [\n'
    for number, shard in enumerate(shards):
        entry = {"file": f"{RELATIONS}/{shard['key']}.{suffix}", **shard}
        del entry["key"]
        yield ("" if not number else ",\n") + f"  {json.dumps(entry, ensure_ascii=False)}"
    yield "\n ]\n}\n"
