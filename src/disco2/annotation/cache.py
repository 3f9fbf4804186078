"""Layers that were made once are kept, so that the same text need not be annotated again.

The cache is one SQLite file in the user's cache folder. It holds the user's texts, so nobody else may read
it. Whatever is wrong with it, annotating goes on without it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from disco2.annotation.annotator import Annotators, Layer, Layers
from disco2.annotation.formats.document_json import FORMAT as DOCUMENT_FORMAT
from disco2.annotation.formats.document_json import document_from_json, document_to_json
from disco2.data import Document
from disco2.errors import Disco2Error, InputError
from disco2.version import VERSION

FORMAT = 1  # of the file and of what is in it; part of its name, so that versions live side by side
EVERY_FILE = "layers-*.sqlite3*"  # of any format, and those that SQLite may have made beside them
VARIABLE = "DISCO2_CACHE"


def cache_folder() -> Path:
    """The folder in the environment variable DISCO2_CACHE, else the user's own for caches.

    That is ~/Library/Caches/disco2 on macOS, %LOCALAPPDATA%\\disco2\\Cache on Windows, and elsewhere
    $XDG_CACHE_HOME/disco2 or ~/.cache/disco2. InputError where there is no home folder.
    """
    try:
        if told := os.environ.get(VARIABLE):
            return Path(told).expanduser().absolute()
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA")
            return (Path(local) if local else Path.home() / "AppData" / "Local") / "disco2" / "Cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "disco2"
        told = os.environ.get("XDG_CACHE_HOME", "")  # to be passed over where it is no absolute path
        return (Path(told) if Path(told).is_absolute() else Path.home() / ".cache") / "disco2"
    except RuntimeError:
        raise InputError(
            "There is no home folder to keep a cache in.", hint=f"Name a folder in {VARIABLE}."
        ) from None


def cache_file() -> Path:
    """The file that holds annotated documents."""
    return cache_folder() / f"layers-{FORMAT}.sqlite3"


# The file: keys and contents, bounded in size. Trouble with it is noted and raises no error.


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


# What the cache holds, and how to remove it.


@dataclass(frozen=True, slots=True)
class CacheSummary:
    """What lies in the cache; ``trouble`` where that can't be read."""

    path: Path
    documents: int
    bytes: int
    most_bytes: int = MOST_BYTES
    trouble: str = ""


def cache_summary() -> CacheSummary:
    """What lies in the cache now; nothing is made or changed. InputError where it has no place."""
    path = cache_file()
    try:
        if not path.exists():
            return CacheSummary(path, 0, 0)
        size = path.stat().st_size
    except OSError as error:
        return CacheSummary(path, 0, 0, trouble=str(error))
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=1)) as connection:
            documents = 0
            if is_ours(connection):
                (documents,) = connection.execute("SELECT count(*) FROM layers").fetchone()
    except TROUBLES as error:
        return CacheSummary(path, 0, size, trouble=str(error))
    return CacheSummary(path, documents, size)


def clear_cache() -> CacheSummary:
    """Remove the cache, damaged or not, and what other versions left; what was in it.

    InputError where it can't be removed.
    """
    found = cache_summary()
    try:
        for file in found.path.parent.glob(EVERY_FILE):
            file.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"The cache can't be removed: {error.strerror or error}.",
            where=str(found.path),
            hint="Close the programs that use it, or remove the file by hand.",
        ) from error
    return found


# Who made a layer: weights, code and versions, so that equal fingerprints mean equal layers.


_CODE = Path(__file__).resolve().parent
_VECTORS = Path(__file__).resolve().parents[1] / "models" / "glove-100d-50k"
_CODE_ENDINGS = (".py", ".toml")
_COMPUTING = ("numpy", "thinc", "spacy")


def fingerprint(annotators: Annotators, layers: Layers) -> str:
    """Of the annotators that make these layers; empty where one of them can't be told from others.

    An annotator can, if it has a ``fingerprint`` of its own, a text that is not empty.
    """
    makers = []
    for layer in Layer:
        if layer in layers:
            own = getattr(annotators.maker(layer), "fingerprint", "")
            if not own:
                return ""
            makers.append(f"{layer}: {own}")
    return "\n".join([_package(), *makers])


def file_fingerprint(*places: Path) -> str:
    """Of files, or all files of folders, by their names, sizes and times: for those too large to be read.

    A copy that keeps the time of writing still has its own time of change.
    """
    total = sha256()
    for place in places:
        files = [place] if place.is_file() else sorted(file for file in place.rglob("*") if file.is_file())
        for file in files:
            state = file.stat()
            name = f"{file}\n{state.st_size}\n{state.st_mtime_ns}\n{state.st_ctime_ns}\n"
            total.update(name.encode("utf-8", "surrogateescape"))
    return total.hexdigest()


@lru_cache(maxsize=1)
def _package() -> str:
    """This package, as far as annotating depends on it: its code, word vectors, and what computes for it."""
    total = sha256()
    code = sorted(file for file in _CODE.rglob("*") if file.suffix in _CODE_ENDINGS)
    for file in [*code, *sorted(_VECTORS.glob("*"))]:
        content = file.read_bytes()
        total.update(f"{file.name}\n{len(content)}\n".encode())
        total.update(content)
    others = ", ".join(f"{package} {version(package)}" for package in _COMPUTING)
    return f"disco2 {VERSION} {total.hexdigest()}, {others}"


# No layers of a text take more; what does is a small entry that unpacks to gigabytes.
_SPARE_BYTES, _BYTES_A_CHARACTER = 1_000_000, 2_000
_QUICKLY = 3  # the level of compression; higher ones hardly save more


class CachedAnnotators:
    """Annotators whose results are kept: a document that comes again gets the very layers it got before.

    A result is known by the annotators' weights and code, the layers asked for, and what they are made from:
    the text alone where tokens are made, else the whole document. Its id does not matter.
    """

    def __init__(self, annotators: Annotators, store: LayerStore) -> None:
        self._annotators = annotators
        self._store = store
        self._makers: dict[Layers, str] = {}
        self.recalled = 0  # documents that did not have to be annotated

    @property
    def name(self) -> str:
        return self._annotators.name

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return self._annotators.requires

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        if layers not in self._makers:
            self._makers[layers] = fingerprint(self._annotators, layers)
        makers = self._makers[layers]
        if not makers:
            return self._annotators.annotate(documents, layers=layers)
        keys = [_key(document, makers, layers) for document in documents]
        kept = self._store.get(keys)
        found = [
            _recalled(kept[key], document, layers) if key in kept else None
            for key, document in zip(keys, documents, strict=True)
        ]
        # The same text twice in one call is annotated once.
        missing = {key: place for place, key in enumerate(keys) if found[place] is None}
        new = [documents[place] for place in missing.values()]
        fresh = self._annotators.annotate(new, layers=layers) if new else []
        made = dict(zip(missing, fresh, strict=True))
        self._store.put([(key, _content(document)) for key, document in made.items()])
        self.recalled += sum(document is not None for document in found)
        return [
            recalled if recalled is not None else replace(made[key], id=document.id)
            for key, document, recalled in zip(keys, documents, found, strict=True)
        ]


def _key(document: Document, makers: str, layers: Layers) -> bytes:
    asked = ",".join(layer for layer in Layer if layer in layers)
    given = document.text if Layer.TOKENS in layers else repr(replace(document, id=""))
    total = sha256()
    for part in (f"{DOCUMENT_FORMAT}", makers, asked, given):
        content = part.encode("utf-8", "surrogatepass")
        total.update(f"{len(content)}\n".encode())
        total.update(content)
    return total.digest()


def _content(document: Document) -> bytes:
    content = json.dumps(document_to_json(replace(document, id="")), separators=(",", ":"))
    return zlib.compress(content.encode(), _QUICKLY)


def _recalled(content: bytes, asked: Document, layers: Layers) -> Document | None:
    """The document that was kept, under its new id; None where it is damaged or another one."""
    try:
        unpacked = _unpacked(content, most=_SPARE_BYTES + _BYTES_A_CHARACTER * len(asked.text))
        found = document_from_json(json.loads(unpacked), where="cache")
    except (zlib.error, ValueError, RecursionError, TypeError, Disco2Error):
        return None
    same = found.text == asked.text and (Layer.TOKENS in layers or len(found.tokens) == len(asked.tokens))
    return replace(found, id=asked.id) if same else None


def _unpacked(content: bytes, *, most: int) -> bytes:
    """The content as it was before it was compressed; ValueError where it is longer, or not whole."""
    unpacking = zlib.decompressobj()
    found = unpacking.decompress(content, most)
    if not unpacking.eof:
        raise ValueError("it is cut off, or too long")
    return found
