"""A SQLite file of keys and contents that never grows beyond a limit and never fails."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import TypeVar

MOST_BYTES = 1_000_000_000
PATIENCE = 5.0  # seconds that another process may hold the file
WRITTEN_AT_ONCE = 500  # documents
WRITTEN_AFTER = 5.0  # seconds; what a process that is killed has not written yet is lost
_ASKED_AT_ONCE = 500  # keys; SQLite bounds the number of parameters
_DAY = 86_400
# The short columns first, so that looking for the oldest need not read the contents.
_TABLE = "layers (key BLOB PRIMARY KEY, used INTEGER NOT NULL, content BLOB NOT NULL)"

# Of a damaged file SQLite may say things that are no Unicode, or ask for more memory than there is.
TROUBLES = (sqlite3.Error, OSError, UnicodeDecodeError, MemoryError)

_T = TypeVar("_T")


class LayerStore:
    """What was put in under a key; to be closed.

    Where the file can't be read or written, ``trouble`` says why, and the store is as good as empty from then
    on. If it can be read and not written, it goes on being read.
    """

    def __init__(self, path: Path, *, most_bytes: int = MOST_BYTES, patience: float = PATIENCE) -> None:
        self.path = path
        self.trouble = ""
        self._most_bytes = most_bytes
        self._today = int(time.time()) // _DAY
        self._waiting: dict[bytes, bytes] = {}
        self._used_again: set[bytes] = set()
        self._writable = True
        self._written = time.monotonic()
        self._connection: sqlite3.Connection | None = None
        self._connection = self._tried(lambda: _opened(path, patience), None)

    def __enter__(self) -> LayerStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The contents of those keys that are there."""
        return self._tried(lambda: self._read(keys), {})

    def put(self, contents: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep contents under their keys."""
        if self._connection is not None and self._writable:
            self._waiting.update(contents)
            late = time.monotonic() - self._written >= WRITTEN_AFTER
            if late or len(self._waiting) >= WRITTEN_AT_ONCE:
                self._flush()

    def close(self) -> None:
        """Write what waits, and let go of the file."""
        self._flush()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found = {key: self._waiting[key] for key in keys if key in self._waiting}
        for begin in range(0, len(keys), _ASKED_AT_ONCE):
            some = keys[begin : begin + _ASKED_AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, content, used FROM layers WHERE key IN ({marks})"  # noqa: S608  marks alone
            for key, content, used in self._rows(query, some):
                found[key] = content
                if used != self._today:
                    self._used_again.add(key)
        return found

    def _rows(self, query: str, values: Sequence[bytes]) -> list[tuple[bytes, bytes, int]]:
        if self._connection is None:
            return []
        with closing(self._connection.execute(query, values)) as cursor:
            return cursor.fetchall()

    def _flush(self) -> None:
        if self._writable and (self._waiting or self._used_again):
            self._writable = self._tried(self._write, False, while_writing=True)
            self._written = time.monotonic()

    def _write(self) -> bool:
        if self._connection is None:
            return False
        with self._connection:  # one transaction
            self._connection.executemany(
                "INSERT OR REPLACE INTO layers (key, used, content) VALUES (?, ?, ?)",
                [(key, self._today, content) for key, content in self._waiting.items()],
            )
            self._connection.executemany(
                "UPDATE layers SET used = ? WHERE key = ?", [(self._today, key) for key in self._used_again]
            )
        self._waiting.clear()
        self._used_again.clear()
        if _size(self._connection) > self._most_bytes:
            _forget_oldest(self._connection, down_to=self._most_bytes * 9 // 10)
        return True

    def _tried(self, action: Callable[[], _T], otherwise: _T, *, while_writing: bool = False) -> _T:
        """What an action gives; where the file does not let it, trouble is noted and the cache given up."""
        try:
            return action()
        except TROUBLES as error:
            self.trouble = self.trouble or str(error)
            self._waiting.clear()
            self._used_again.clear()
            if not while_writing and self._connection is not None:
                self._connection.close()
                self._connection = None
            return otherwise


def _opened(path: Path, patience: float) -> sqlite3.Connection | None:
    """A connection to the file, which is made where it is not there, for this user alone."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # journals get the mode of their file
    connection = sqlite3.connect(path, timeout=patience)
    try:
        if not is_ours(connection):
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")  # another process may be quicker
        return connection
    except TROUBLES:
        connection.close()
        raise


def is_ours(connection: sqlite3.Connection) -> bool:
    """Whether the file has our table; false where it has nothing yet, an error where it has anything else.

    A view in the table's place, or a trigger on it, could do whatever its maker liked, for as long as he did.
    """
    query = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL LIMIT 2"  # SQLite's own indices have none
    found = [statement for (statement,) in connection.execute(query)]
    if found not in ([], [f"CREATE TABLE {_TABLE}"]):
        raise sqlite3.DatabaseError("file is not a cache of disco2")
    return bool(found)


def _size(connection: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    number = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    }
    return int((number["page_count"] - number["freelist_count"]) * number["page_size"])


def _forget_oldest(connection: sqlite3.Connection, *, down_to: int) -> None:
    """Drop what was not used for the longest time, a twentieth at a time, and give the room back."""
    while _size(connection) > down_to:
        (count,) = connection.execute("SELECT count(*) FROM layers").fetchone()
        if not count:
            break
        oldest = "SELECT rowid FROM layers ORDER BY used, rowid LIMIT ?"
        with connection:
            connection.execute(f"DELETE FROM layers WHERE rowid IN ({oldest})", (count // 20 + 1,))  # noqa: S608
    connection.executescript("PRAGMA incremental_vacuum")  # execute() would give back a single page
