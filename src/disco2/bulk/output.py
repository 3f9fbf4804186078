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
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from disco2.bulk.job import ARCHIVES, CSV, FORMATS, KEY_DIGITS, PARQUET, import_pyarrow
from disco2.bundle.manifest import digest
from disco2.data import Document
from disco2.errors import InputError
from disco2.files import FileLock, hash_file, remove_scratch, write_bytes, write_text
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

    def read_record(self, key: str) -> Json | None:
        """The record of a shard; None if there is none, or it is damaged."""
        found = read_json(self.record(key))
        if found is None or found.pop("digest", "") != digest(found) or found.get("key") != key:
            return None
        return found

    def finished(self, key: str) -> Json | None:
        """The record of a shard that is complete and undamaged."""
        record = self.read_record(key)
        if record is None or file_hash(self.shard(key)) != record.get("sha256"):
            return None
        return record

    def write_record(self, record: Json) -> None:
        content = record | {"digest": digest(record)}
        write_text(self.record(record["key"]), [json.dumps(content, ensure_ascii=False, indent=1) + "\n"])

    def error(self, what: str, hint: str = "Choose another --output.") -> InputError:
        return InputError(what, where=str(self.path), hint=hint)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder. InputError if it has anything but the output of a run."""
        self._check_own()
        lock = FileLock(self.path / WORKING / "lock")
        if not lock.take():
            raise self.error(
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
                raise self.error(
                    f"The folder has the output of another run: {difference}.",
                    "Choose another --output, or add --restart to drop the old output.",
                )

    def begin(self, wanted: Json, *, restart: bool) -> None:
        """Note what the run does, for its workers and for the next run; ``restart`` drops the old output."""
        if restart:
            own = [file for name in _SUFFIXES for file in self._own_files(name)]
            self._remove([self.manifest, self.errors, self.job, *own])
        for name in (RELATIONS, RECORDS):
            remove_scratch(self.path / name)
        write_text(self.job, [json.dumps(wanted, indent=1) + "\n"])

    def finish(self, keys: set[str]) -> None:
        """Remove files that the manifest does not name, and those that only a run needs."""
        kept = {f"{key}.{suffix}" for key in keys for suffix in (self.suffix, "json")}
        self._remove(file for name in _SUFFIXES for file in self._own_files(name) if file.name not in kept)
        for name in (RELATIONS, RECORDS, WORKING):
            remove_scratch(self.path / name)
        self._remove([self.job])

    def _check_own(self) -> None:
        """Raise InputError unless the folder is new, empty, or the output of a run."""
        try:
            if not self.path.exists():
                return
            if not self.path.is_dir():
                raise self.error("The output is a folder, but this is a file.")
            manifest = read_json(self.manifest) or {}
            own = self.job.exists() or ("format" in manifest and isinstance(manifest.get("job"), dict))
            if not own and any(one.name != WORKING for one in self.path.iterdir()):
                raise self.error(
                    "The folder has other files, and no output of this command.",
                    "Choose a new or an empty folder as --output.",
                )
        except OSError as error:
            raise self.error(f"It can't be read: {error.strerror}.") from None

    def _remove(self, files: Iterable[Path]) -> None:
        try:
            for file in files:
                file.unlink(missing_ok=True)
        except OSError as error:
            raise self.error(f"Old files can't be removed: {error.strerror or error}.") from error

    def _own_files(self, name: str) -> list[Path]:
        """All shards or records, of any run."""
        try:
            found = list((self.path / name).iterdir())
        except FileNotFoundError:
            return []
        return [file for file in found if _KEY.fullmatch(file.stem) and file.suffix in _SUFFIXES[name]]


def read_json(file: Path) -> Json | None:
    """The object in a file; None if there is none."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def file_hash(file: Path) -> str:
    """The SHA-256 of a file; empty if it can't be read."""
    try:
        return hash_file(file)
    except OSError:
        return ""


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
    if format == PARQUET:
        return _write_parquet(path, answers, outcomes)
    if format == CSV:
        rows = (csv_lines(csv_row(answer.document.id, one) for one in answer.relations) for answer in answers)
        return _write_text(path, chain([csv_lines([COLUMNS])], rows))
    if format in ARCHIVES:
        return write_archive(path, ((answer.document, answer.relations) for answer in answers), format)
    return _write_text(path, map(_json_line, answers))


def _write_text(path: Path, pieces: Iterable[str]) -> str:
    total = sha256()

    def hashed() -> Iterator[str]:
        for piece in pieces:
            total.update(piece.encode(errors="replace"))  # as in the file
            yield piece

    write_text(path, hashed())
    return total.hexdigest()


def _json_line(answer: Answer) -> str:
    content = {
        "document": answer.document.id,
        "sha256": answer.sha256,
        "sentences": len(answer.document.sentences),
        "relations": relation_forms(answer.relations, answer.explanations),
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def _write_parquet(path: Path, answers: Iterable[Answer], outcomes: Sequence[str]) -> str:
    """One row for each relation."""
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
    content = compressed.getvalue().to_pybytes()
    write_bytes(path, content)
    return sha256(content).hexdigest()


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
