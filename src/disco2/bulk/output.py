"""The folder that a run writes.

OUTPUT/
  manifest.json             the job, totals, every shard with its hash; written last
  errors.jsonl              documents without relations, and why
  relations/KEY.jsonl       the shards (or .parquet, .csv, .zip); KEY is a hash of documents and job
  records/KEY.json          what is in a shard, and its hash
  .working/                 during a run: its job and a lock
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from disco2.bulk.job import ARCHIVES, CSV, FORMATS, KEY_DIGITS, PARQUET, import_pyarrow
from disco2.bundle.folder import digest
from disco2.data import Document
from disco2.errors import InputError
from disco2.files import FileLock, hash_file, remove_scratch, report_write_errors, write_bytes, write_text
from disco2.inference.explanation import Explanation
from disco2.inference.exports import write_archive
from disco2.inference.prediction import COLUMNS, Prediction, csv_lines, csv_row, relation_forms

FORMAT = 1  # of the folder
MANIFEST, ERRORS = "manifest.json", "errors.jsonl"
RELATIONS, RECORDS, WORKING = "relations", "records", ".working"
_SUFFIXES = {RELATIONS: {".zip", *(f".{one}" for one in FORMATS)}, RECORDS: {".json"}}
_KEY = re.compile(rf"[0-9a-f]{{{KEY_DIGITS}}}")
ROW_GROUP = 5_000  # rows of Parquet that are held in memory before they are compressed

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The relations of a document."""

    document: Document
    sha256: str
    relations: Sequence[Prediction]
    explanations: Sequence[Explanation] | None = None


@dataclass(frozen=True)
class OutputFolder:
    """The paths in the folder, for the command and for its workers."""

    path: Path
    suffix: str  # of the shards

    @property
    def manifest(self) -> Path:
        return self.path / MANIFEST

    @property
    def errors(self) -> Path:
        return self.path / ERRORS

    @property
    def job(self) -> Path:
        return self.path / WORKING / "job.json"

    def shard(self, key: str) -> Path:
        return self.path / RELATIONS / f"{key}.{self.suffix}"

    def record(self, key: str) -> Path:
        return self.path / RECORDS / f"{key}.json"

    def finished(self, key: str) -> Json | None:
        """The record of a shard that is complete and undamaged; else None."""
        found = read_json(self.record(key))
        if found is None or found.pop("digest", "") != digest(found) or found.get("key") != key:
            return None
        try:
            return found if hash_file(self.shard(key)) == found["sha256"] else None
        except OSError:
            return None

    def write_record(self, record: Json) -> None:
        content = record | {"digest": digest(record)}
        write_text(self.record(record["key"]), [json.dumps(content, ensure_ascii=False, indent=1) + "\n"])

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder. InputError if it has anything but the output of a run."""
        with report_write_errors(self.path):
            manifest = read_json(self.manifest) or {}
            own = self.job.exists() or ("format" in manifest and isinstance(manifest.get("job"), dict))
            names = {file.name for file in self.path.iterdir()} if self.path.exists() else set()
            if not own and names - {WORKING}:
                raise self._error(
                    "The folder has other files, and no output of this command.",
                    "Choose a new or an empty folder as --output.",
                )
        lock = FileLock(self.path / WORKING / "lock")
        if not lock.take():
            raise self._error(
                "Another run is writing this output.", "Wait for it, or choose another --output."
            )
        try:
            yield
        finally:
            lock.give_up()

    def check_same(self, wanted: Json) -> None:
        """Raise InputError if an earlier run wrote something else than is wanted now."""
        for file in (self.manifest, self.job):
            before = read_json(file)
            if before is not None and (difference := _difference(before, wanted)):
                raise self._error(
                    f"The folder has the output of another run: {difference}.",
                    "Choose another --output, or add --restart to drop the old output.",
                )

    def begin(self, wanted: Json, *, restart: bool) -> None:
        """Note what the run does, for its workers and for the next run; ``restart`` drops the old output."""
        if restart:
            self._remove_all([self.manifest, self.errors, self.job, *self._own_files()])
        for name in (RELATIONS, RECORDS):
            remove_scratch(self.path / name)
        write_text(self.job, [json.dumps(wanted, indent=1) + "\n"])

    def finish(self, keys: set[str]) -> None:
        """Remove files that the manifest does not name, and those that only a run needs."""
        kept = {f"{key}.{suffix}" for key in keys for suffix in (self.suffix, "json")}
        for name in (RELATIONS, RECORDS, WORKING):
            remove_scratch(self.path / name)
        self._remove_all([self.job, *(file for file in self._own_files() if file.name not in kept)])

    def _error(self, what: str, hint: str) -> InputError:
        return InputError(what, where=str(self.path), hint=hint)

    def _own_files(self) -> Iterator[Path]:
        for name, suffixes in _SUFFIXES.items():
            for file in (self.path / name).glob("*"):
                if _KEY.fullmatch(file.stem) and file.suffix in suffixes:
                    yield file

    def _remove_all(self, files: Iterable[Path]) -> None:
        with report_write_errors(self.path):
            for file in list(files):
                file.unlink(missing_ok=True)


def read_json(file: Path) -> Json | None:
    """The object in a file; None if there is none."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _difference(before: Json, wanted: Json) -> str:
    """How an earlier run differs, so that its output would be lost; empty if this run may continue it."""
    theirs, ours = before.get("job"), wanted["job"]
    if before.get("format") != FORMAT or not isinstance(theirs, dict):
        return "its format is that of another version"
    for name in ours:
        if theirs.get(name) != ours[name]:
            return f"it differs in {name.replace('_', ' ')}"
    missing = [one for one in before.get("files") or [] if one not in wanted["files"]]
    return f"its files were {missing[0]}" if missing else ""


def write_shard(path: Path, format: str, answers: Iterable[Answer], *, outcomes: Sequence[str]) -> str:
    """Write the answers as they come; the SHA-256 of the file."""
    if format in ARCHIVES:
        return write_archive(path, ((answer.document, answer.relations) for answer in answers), format)
    if format == PARQUET:
        _write_parquet(path, answers, outcomes)
    elif format == CSV:
        rows = (csv_lines(csv_row(answer.document.id, one) for one in answer.relations) for answer in answers)
        write_text(path, chain([csv_lines([COLUMNS])], rows))
    else:
        write_text(path, map(_json_line, answers))
    return hash_file(path)


def _json_line(answer: Answer) -> str:
    content = {
        "document": answer.document.id,
        "sha256": answer.sha256,
        "sentences": len(answer.document.sentences),
        "relations": relation_forms(answer.relations, answer.explanations),
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def _write_parquet(path: Path, answers: Iterable[Answer], outcomes: Sequence[str]) -> None:
    arrow = import_pyarrow()
    schema = _parquet_schema(arrow, outcomes)
    compressed = arrow.BufferOutputStream()
    with arrow.parquet.ParquetWriter(compressed, schema, compression="zstd") as writer:
        rows: list[Json] = []
        for answer in answers:
            rows.extend(_parquet_rows(answer))
            if len(rows) >= ROW_GROUP:
                writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
                rows = []
        if rows:
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
    write_bytes(path, compressed.getvalue().to_pybytes())


def _parquet_schema(arrow: Any, outcomes: Sequence[str]) -> Any:
    """``probabilities`` has a field for each outcome; null if it was not allowed."""
    string, int64, float64 = arrow.string(), arrow.int64(), arrow.float64()
    span = [("text", string), ("start", int64), ("end", int64)]
    spans = arrow.list_(arrow.struct(span))
    arguments = [
        (f"{side}_{name}", kind) for side in ("arg1", "arg2") for name, kind in (*span, ("parts", spans))
    ]
    return arrow.schema(
        [
            ("document", string),
            ("document_sha256", string),
            ("index", int64),
            ("kind", string),
            ("sense", string),
            ("direction", string),
            ("gloss", string),
            ("probability", float64),
            ("unsure", arrow.bool_()),
            ("probabilities", arrow.struct([(outcome, float64) for outcome in outcomes])),
            ("presence", float64),
            ("connective", string),
            ("connective_parts", spans),
            *arguments,
            ("entities", arrow.list_(arrow.struct([("chain", string), ("arg1", spans), ("arg2", spans)]))),
            ("explanation", string),  # JSON, with --explain
        ]
    )


def _parquet_rows(answer: Answer) -> Iterator[Json]:
    for place, prediction in enumerate(answer.relations):
        row = prediction.to_json()
        for side in ("arg1", "arg2"):
            row |= {f"{side}_{name}": value for name, value in row.pop(side).items()}
        row |= {"document": answer.document.id, "document_sha256": answer.sha256, "explanation": None}
        if answer.explanations is not None:
            row["explanation"] = json.dumps(answer.explanations[place].to_json(), ensure_ascii=False)
        yield row
