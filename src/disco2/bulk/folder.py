"""The folder that a run writes.

OUTPUT/
  manifest.json             the job, totals, every shard with its hash; written last
  errors.jsonl              documents without relations, and why
  relations/KEY.jsonl       the shards (or .parquet, .csv); KEY is a hash of their documents and of the job
  records/KEY.json          what is in a shard, and its hash
  records/.root             a hash of where the documents lay: two corpora may have one name
  .working/                 while a run is not finished: its job, what workers are on, a lock
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from disco2.bulk.job import DIGITS, Job
from disco2.bulk.settings import FORMATS
from disco2.bulk.working_notes import WorkingNotes
from disco2.bundle.manifest import digest
from disco2.errors import InputError
from disco2.files import hash_file, remove_scratch, write_bytes, write_text
from disco2.lock import FileLock

FORMAT = 1  # of the folder
MANIFEST, ERRORS = "manifest.json", "errors.jsonl"
RELATIONS, RECORDS, WORKING = "relations", "records", ".working"
JOB, LOCK, ROOT = "job.json", "lock", ".root"
_ENDINGS = {RELATIONS: {".zip", *(f".{one}" for one in FORMATS)}, RECORDS: {".json"}, WORKING: {""}}
_KEY = re.compile(rf"[0-9a-f]{{{DIGITS}}}")

Json = dict[str, Any]


@dataclass(frozen=True)
class OutputFolder:
    """Where things are, for the command and for its workers."""

    path: Path
    format: str

    @property
    def manifest(self) -> Path:
        return self.path / MANIFEST

    @property
    def errors(self) -> Path:
        return self.path / ERRORS

    @property
    def job(self) -> Path:
        return self.path / WORKING / JOB

    def shard(self, key: str) -> Path:
        return self.path / RELATIONS / f"{key}.{self.format}"

    def record(self, key: str) -> Path:
        return self.path / RECORDS / f"{key}.json"

    def note(self, key: str) -> Path:
        return self.path / WORKING / key

    @property
    def _root(self) -> Path:
        return self.path / RECORDS / ROOT

    def read_record(self, key: str) -> Json | None:
        """What is known of a shard that was finished; None where nothing is, or its record is damaged."""
        found = read_json(self.record(key))
        if found is None or found.pop("digest", "") != digest(found) or found.get("key") != key:
            return None
        return found

    def keys(self) -> set[str]:
        """Of all shards that have a record."""
        return {file.stem for file in self._of_ours(RECORDS)}

    def finished(self, key: str) -> Json | None:
        """The record of a shard that is there, whole to the last byte."""
        record = self.read_record(key)
        if record is None or file_hash(self.shard(key)) != record.get("sha256"):
            return None
        return record

    def write_record(self, record: Json) -> None:
        content = record | {"digest": digest(record)}
        write_text(self.record(record["key"]), [json.dumps(content, ensure_ascii=False, indent=1) + "\n"])

    def is_from(self, root: str) -> bool:
        """Whether the shards that are there were made from files in that very folder."""
        try:
            return self._root.read_bytes() == _place(root)
        except OSError:
            return False

    def note_root(self, root: str) -> None:
        """From now on shards are made from files in that folder."""
        write_bytes(self._root, _place(root))

    def other_run(self, difference: str) -> InputError:
        """Why nothing is done: what is there would be lost."""
        return InputError(
            f"The folder holds the output of another run: {difference}.",
            where=str(self.path),
            hint="Choose another --output, or add --restart to drop what is there.",
        )

    @contextmanager
    def taken(self, job: Job, files: Sequence[str], *, restart: bool) -> Iterator[Callable[[], None]]:
        """The folder, for this run alone. InputError where it holds anything else.

        ``files`` are the patterns; a folder with the output of others is refused, since those would be lost.
        What it gives is called when there are workers: not before that, a restart drops what is there.
        """
        self._check_ours()
        lock = FileLock(self.path / WORKING / LOCK)
        if not lock.take():
            raise InputError(
                "Another run is writing this output.",
                where=str(self.path),
                hint="Wait for it, or choose another --output.",
            )
        try:
            wanted = {"format": FORMAT, "job": job.to_json(), "files": list(files)}
            if not restart:
                self._check_same(wanted)
            try:
                yield partial(self._begin, wanted, restart=restart)
            except BaseException:
                self._rest_notes()
                raise
        finally:
            lock.give_up()

    def finish(self, keys: set[str]) -> None:
        """The manifest is written: what it does not name goes, and so does what only a run needs."""
        try:
            kept = {f"{key}.{ending}" for key in keys for ending in (self.format, "json")}
            for file in self._ours():
                if file.name not in kept:
                    file.unlink(missing_ok=True)
            for name in (RELATIONS, RECORDS, WORKING):
                remove_scratch(self.path / name)
            self.job.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(
                f"What is left over can't be removed: {error.strerror or error}.", where=str(self.path)
            ) from error

    def _check_ours(self) -> None:
        """Nothing of the user's is written over: the folder is new, empty, or one that a run has written."""
        try:
            if not self.path.exists():
                return
            if not self.path.is_dir():
                raise InputError(
                    "The output is a folder; a file is there.",
                    where=str(self.path),
                    hint="Choose another --output.",
                )
            ours = self.job.exists() or _is_manifest(read_json(self.manifest))
            if not ours and any(one.name != WORKING for one in self.path.iterdir()):
                raise InputError(
                    "The folder holds other things, and no output of this command.",
                    where=str(self.path),
                    hint="Choose a new or an empty folder as --output.",
                )
        except OSError as error:
            raise InputError(f"It can't be read: {error.strerror}.", where=str(self.path)) from None

    def _rest_notes(self) -> None:
        """Workers that were on something were ended by the command, as at an interrupt; by no document."""
        with suppress(OSError, InputError):
            for note in self._of_ours(WORKING):
                WorkingNotes(note, counted=False).rest()

    def _check_same(self, wanted: Json) -> None:
        for file in (self.manifest, self.job):
            before = read_json(file)
            if before is not None and (difference := _difference(before, wanted)):
                raise self.other_run(difference)

    def _begin(self, wanted: Json, *, restart: bool) -> None:
        if restart:
            self._drop_everything()
        for name in (RELATIONS, RECORDS):
            remove_scratch(self.path / name)
        write_text(self.job, [json.dumps(wanted, indent=1) + "\n"])

    def _drop_everything(self) -> None:
        try:
            for file in (self.manifest, self.errors, self.job, *self._ours()):
                file.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(
                f"What is there can't be removed: {error.strerror or error}.", where=str(self.path)
            ) from error

    def _ours(self) -> list[Path]:
        """All shards, records and notes, of whatever run."""
        return [file for name in _ENDINGS for file in self._of_ours(name)]

    def _of_ours(self, name: str) -> list[Path]:
        try:
            found = list((self.path / name).iterdir())
        except FileNotFoundError:
            return []
        return [file for file in found if _KEY.fullmatch(file.stem) and file.suffix in _ENDINGS[name]]


def read_json(file: Path) -> Json | None:
    """An object in a file; None where there is none that can be read."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def file_hash(file: Path) -> str:
    """The SHA-256 of a file; empty where it can't be read."""
    try:
        return hash_file(file)
    except OSError:
        return ""


def _place(root: str) -> bytes:
    """What tells a folder from others, without its name."""
    return sha256(os.fsencode(root)).hexdigest().encode()


def _is_manifest(found: Json | None) -> bool:
    return found is not None and "format" in found and isinstance(found.get("job"), dict)


def _difference(before: Json, wanted: Json) -> str:
    """In what a run was another one, for which its output would be lost; more files are no other run."""
    theirs, ours = before.get("job"), wanted["job"]
    if before.get("format") != FORMAT or not isinstance(theirs, dict):
        return "its form is that of another version"
    for name in ours:
        if theirs.get(name) != ours[name]:
            return f"it differs in {name.replace('_', ' ')}"
    missing = [one for one in before.get("files") or [] if one not in wanted["files"]]
    return f"its files were {missing[0]}" if missing else ""
