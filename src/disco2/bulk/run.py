"""A corpus -> its relations in a folder: plan shards, give them to workers, write the manifest."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from disco2.bulk.documents import FilePatterns, show_name, split_shards
from disco2.bulk.job import Job
from disco2.bulk.output import FORMAT, RELATIONS, Json, OutputFolder, read_json
from disco2.bulk.work import SEPARATOR, ShardWork
from disco2.engines import Engine, Outcome, Task
from disco2.errors import InputError
from disco2.files import hash_file, write_text
from disco2.inference.pipeline import Pipeline

ATTEMPTS = 10  # dead processes on one shard before it is given up
MOST_GIVEN_UP = 3  # shards, before the run stops
_TOTALS = ("documents", "bytes", "sentences", "relations", "errors")


@dataclass(slots=True)
class BulkProgress:
    """How far a run is, and at its end what is in the folder."""

    all_documents: int
    all_bytes: int
    documents: int = 0  # done, including those of earlier runs
    bytes: int = 0
    sentences: int = 0
    relations: int = 0
    errors: int = 0
    shards: int = 0
    made: int = 0  # shards, by this run
    made_bytes: int = 0
    made_sentences: int = 0
    seconds: float = 0.0  # since the run began

    @property
    def rate(self) -> float:
        """Sentences a second."""
        return self.made_sentences / self.seconds if self.seconds else 0.0

    @property
    def left(self) -> float | None:
        """Estimated seconds until the end; None while unknown."""
        if not self.made_bytes:
            return None
        return (self.all_bytes - self.bytes) * self.seconds / self.made_bytes

    def add(self, record: Json, *, seconds: float) -> None:
        for name in _TOTALS:
            setattr(self, name, getattr(self, name) + record[name])
        self.shards += 1
        self.seconds = seconds
        if record["made"]:
            self.made += 1
            self.made_bytes += record["bytes"]
            self.made_sentences += record["sentences"]


Report = Callable[[BulkProgress], None]


def predict_files(
    patterns: Sequence[str],
    output: Path,
    *,
    job: Job,
    opened: Callable[[], AbstractContextManager[Pipeline]],
    engine: Engine,
    restart: bool = False,
    report: Report = lambda progress: None,
    notice: Callable[[str], None] = lambda text: None,
) -> BulkProgress:
    """Write the relations of all files that match to ``output``; finished shards of earlier runs are kept.

    ``opened`` loads the pipeline in a worker. Documents without relations are listed in ``errors.jsonl``.
    """
    files = FilePatterns(patterns)
    folder = OutputFolder(output.absolute(), job.settings.suffix)
    most_bytes = job.settings.most_bytes
    progress = BulkProgress(0, 0)
    for found in files.walk(without=folder.path):
        progress.all_documents += 1
        progress.all_bytes += found.size if found.size <= most_bytes else 0
    if not progress.all_documents:
        hint = "Check the pattern, and put it in quotes."
        raise InputError("No file matches.", where=", ".join(patterns), hint=hint)
    for pattern in files.unmatched:
        notice(f"no file matches {pattern}")
    wanted = {"format": FORMAT, "job": job.to_json(), "files": files.described}
    shards = split_shards(
        files.walk(without=folder.path), documents=job.settings.shard_documents, most_bytes=most_bytes
    )
    records: dict[int, Json] = {}
    given_up: list[Outcome] = []
    with folder.locked():
        if not restart:
            folder.check_same(wanted)
        work = ShardWork(files.root, folder, job, opened)
        with engine.session(work, attempts=ATTEMPTS, notice=notice) as session:
            folder.begin(wanted, restart=restart)
            begun = time.monotonic()
            report(progress)
            tasks = (Task(str(number), SEPARATOR.join(shard)) for number, shard in enumerate(shards))
            for outcome in session.run(tasks):
                if outcome.died:
                    given_up.append(outcome)
                    if len(given_up) > MOST_GIVEN_UP:
                        break
                else:
                    progress.add(outcome.result, seconds=time.monotonic() - begun)
                    records[int(outcome.task.key)] = outcome.result
                    report(progress)
        if given_up:
            names = given_up[-1].task.given.split(SEPARATOR)
            raise InputError(
                f"{len(given_up)} shards are missing: {ATTEMPTS} processes died on each "
                f"({show_name(names[0])} to {show_name(names[-1])}: {given_up[-1].died}).",
                where=str(folder.path),
                hint="Is there enough memory? Run the same command to resume, or remove the document that "
                "ends it.",
            )
        _finish(folder, wanted, [records[number] for number in sorted(records)], progress)
    if progress.shards > progress.made:
        notice(f"{progress.shards - progress.made} of {progress.shards} shards were already there")
    return progress


def _finish(folder: OutputFolder, wanted: Json, shards: Sequence[Json], progress: BulkProgress) -> None:
    write_text(folder.errors, _error_lines(folder, shards))
    totals = {name: getattr(progress, name) for name in _TOTALS}
    content = {**wanted, **totals, "errors_sha256": hash_file(folder.errors)}
    write_text(folder.manifest, _manifest(content, shards, folder.suffix))
    folder.finish({shard["key"] for shard in shards})


def _error_lines(folder: OutputFolder, shards: Sequence[Json]) -> Iterator[str]:
    for shard in shards:
        if shard["errors"]:
            for refused in (read_json(folder.record(shard["key"])) or {"refused": []})["refused"]:
                yield json.dumps(refused, ensure_ascii=False) + "\n"


def _manifest(content: Json, shards: Sequence[Json], suffix: str) -> Iterator[str]:
    yield json.dumps(content, ensure_ascii=False, indent=1).removesuffix("\n}")
    yield ',\n "shards": [\n'
    for number, shard in enumerate(shards):
        entry = {"file": f"{RELATIONS}/{shard['key']}.{suffix}", **shard}
        del entry["key"], entry["made"]
        yield ("" if not number else ",\n") + f"  {json.dumps(entry, ensure_ascii=False)}"
    yield "\n ]\n}\n"
