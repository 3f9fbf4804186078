"""What a worker is on, noted before it begins: who tries again learns from it where the one before ended.

A process that is killed from outside leaves the same note as one that a document has ended, so that no single
note condemns a document. A batch that has ended two processes is looked at document by document; a document
that has ended three processes all alone is to blame.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from disco2.files import write_bytes

SUSPECT_AFTER = 2  # deaths of a batch: its documents are tried alone
APART_AFTER = 4  # its documents end no process alone, but together they do: alone they stay
BLAMED_AFTER = 3  # deaths of a document that is alone


class WorkingNotes:
    """The deaths in one shard, by what was being done.

    ``counted``: the process that left the note is dead, and nobody knows why.
    """

    def __init__(self, path: Path, *, counted: bool = True) -> None:
        self._path = path
        self._deaths: dict[str, int] = {}
        now = ""
        with suppress(OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
            kept = json.loads(path.read_bytes())
            now = str(kept["now"])
            self._deaths = {str(what): int(count) for what, count in kept["deaths"].items()}
        if now and counted:
            self._deaths[now] = self._deaths.get(now, 0) + 1

    def begin(self, what: str) -> None:
        """From now on the process is on this."""
        self._write(what)

    def of_batch(self, number: int) -> int:
        return self._deaths.get(batch_name(number), 0)

    def blames(self, document: int) -> bool:
        """Whether a document has ended process after process."""
        return self._deaths.get(document_name(document), 0) >= BLAMED_AFTER

    def rest(self) -> None:
        """The process is on nothing: what ends it now is no document's doing."""
        if self._deaths:
            self._write("")
        else:
            self.remove()

    def remove(self) -> None:
        """All is well; nobody needs to know."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _write(self, now: str) -> None:
        write_bytes(self._path, json.dumps({"now": now, "deaths": self._deaths}).encode())


def batch_name(number: int) -> str:
    return f"batch {number}"


def document_name(number: int) -> str:
    return f"document {number}"
