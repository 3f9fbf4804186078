"""A cache of annotated documents, so that the same text is not annotated twice.

The cache is one SQLite file in the user's cache folder. It holds the user's texts, so only the owner may read
it. If anything is wrong with it, annotation continues without it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from disco2.annotation.annotator import Annotators, Layer, Layers
from disco2.annotation.document_json import FORMAT as DOCUMENT_FORMAT
from disco2.annotation.document_json import document_to_json, parse_annotated
from disco2.data import Document
from disco2.errors import Disco2Error, InputError
from disco2.version import VERSION

FORMAT = 2  # part of the file's name, so that versions of disco2 can be used side by side
EVERY_FILE = "layers-*.sqlite3*"  # of any format, with SQLite's journals
VARIABLE = "DISCO2_CACHE"
MOST_BYTES = 1_000_000_000
PATIENCE = 5.0  # seconds to wait for another process that holds the file
_TABLE = "layers (key BLOB PRIMARY KEY, content BLOB NOT NULL)"
# A damaged file can make SQLite return text that is not Unicode, or ask for more memory than there is.
TROUBLES = (sqlite3.Error, OSError, UnicodeDecodeError, MemoryError)

# A limit for unpacked entries, so that a small damaged one does not unpack to gigabytes.
_SPARE_BYTES, _BYTES_A_CHARACTER = 1_000_000, 2_000
_COMPRESSION = 3  # higher levels hardly save more

_PACKAGE = Path(__file__).resolve().parents[1]
_VECTORS = _PACKAGE / "models" / "glove-100d-50k"
_COMPUTING = ("numpy", "thinc", "spacy")


def cache_folder() -> Path:
    """The folder in the environment variable DISCO2_CACHE, else the user's cache folder.

    The default is ~/Library/Caches/disco2 on macOS, %LOCALAPPDATA%\\disco2\\Cache on Windows, and elsewhere
    $XDG_CACHE_HOME/disco2 or ~/.cache/disco2. Raises InputError if there is no home folder.
    """
    try:
        if chosen := os.environ.get(VARIABLE):
            return Path(chosen).expanduser().absolute()
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA")
            return (Path(local) if local else Path.home() / "AppData" / "Local") / "disco2" / "Cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "disco2"
        shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
        return (shared if shared.is_absolute() else Path.home() / ".cache") / "disco2"
    except RuntimeError:
        raise InputError(
            "There is no home folder for the cache.", hint=f"Set {VARIABLE} to another folder."
        ) from None


def cache_file() -> Path:
    """The file that holds annotated documents."""
    return cache_folder() / f"layers-{FORMAT}.sqlite3"


class LayerStore:
    """Contents by key, in a file of bounded size; a context manager.

    If the file can't be used, ``trouble`` says why, and the store behaves as if it were empty. A file that
    can only be read is still read.
    """

    def __init__(self, path: Path, *, most_bytes: int = MOST_BYTES, patience: float = PATIENCE) -> None:
        self.path = path
        self.trouble = ""
        self._most_bytes = most_bytes
        self._writable = True
        self._connection: sqlite3.Connection | None = None
        try:
            self._connection = _open(path, patience)
        except TROUBLES as error:
            self.trouble = str(error)

    def __enter__(self) -> LayerStore:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The contents of those keys that are there."""
        found: dict[bytes, bytes] = {}
        if self._connection is None:
            return found
        try:
            for key in keys:
                query = "SELECT key, content FROM layers WHERE key = ?"
                with closing(self._connection.execute(query, (key,))) as cursor:
                    found.update(cursor.fetchall())
            return found
        except TROUBLES as error:
            self.trouble = self.trouble or str(error)
            self.__exit__()
            return {}

    def put(self, contents: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep contents under their keys; if the file becomes too large, the oldest entries are removed."""
        if self._connection is None or not self._writable:
            return
        try:
            with self._connection:  # one transaction
                self._connection.executemany("INSERT OR REPLACE INTO layers VALUES (?, ?)", list(contents))
            if _size(self._connection) > self._most_bytes:
                _remove_oldest(self._connection, down_to=self._most_bytes * 9 // 10)
        except TROUBLES as error:
            self.trouble = self.trouble or str(error)
            self._writable = False


def _open(path: Path, patience: float) -> sqlite3.Connection:
    """A connection to the file, which is created for this user alone if it does not exist."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # journals get the mode of their file
    connection = sqlite3.connect(path, timeout=patience)
    try:
        if not _has_our_table(connection):
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")  # another process may be first
        return connection
    except TROUBLES:
        connection.close()
        raise


def _has_our_table(connection: sqlite3.Connection) -> bool:
    """Whether the file has our table; False if it is empty, DatabaseError if it has anything else.

    A view in place of the table, or a trigger on it, could run forever or change anything.
    """
    query = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL LIMIT 2"  # SQLite's own indices have no sql
    found = [statement for (statement,) in connection.execute(query)]
    if found not in ([], [f"CREATE TABLE {_TABLE}"]):
        raise sqlite3.DatabaseError("file is not a cache of disco2")
    return bool(found)


def _size(connection: sqlite3.Connection) -> int:
    """Bytes of the file that are in use."""
    pages, free, page_size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * page_size)


def _remove_oldest(connection: sqlite3.Connection, *, down_to: int) -> None:
    """Remove the entries that were written first, a twentieth at a time."""
    while _size(connection) > down_to:
        (count,) = connection.execute("SELECT count(*) FROM layers").fetchone()
        if not count:
            break
        oldest = "SELECT rowid FROM layers ORDER BY rowid LIMIT ?"
        with connection:
            connection.execute(f"DELETE FROM layers WHERE rowid IN ({oldest})", (count // 20 + 1,))  # noqa: S608
    connection.executescript("PRAGMA incremental_vacuum")  # execute() would free a single page


@dataclass(frozen=True, slots=True)
class CacheSummary:
    """The contents of the cache; ``trouble`` if it can't be read."""

    path: Path
    documents: int
    bytes: int
    most_bytes: int = MOST_BYTES
    trouble: str = ""


def cache_summary() -> CacheSummary:
    """Describe the cache without creating or changing it. Raises InputError if there is no home folder."""
    path = cache_file()
    size = documents = 0
    trouble = ""
    try:
        if path.exists():
            size = path.stat().st_size
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=1)) as connection:
                if _has_our_table(connection):
                    (documents,) = connection.execute("SELECT count(*) FROM layers").fetchone()
    except TROUBLES as error:
        trouble = str(error)
    return CacheSummary(path, documents, size, trouble=trouble)


def clear_cache() -> CacheSummary:
    """Remove the cache, damaged or not, and those of other versions; return what was in it.

    Raises InputError if it can't be removed.
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


def fingerprint(annotators: Annotators, layers: Layers) -> str:
    """Cache key of the annotators that make these layers: weights, code and versions.

    Empty if one of them has no fingerprint, so that its output must not be cached.
    """
    makers = [annotators.maker(layer) for layer in Layer if layer in layers]
    fingerprints = [getattr(maker, "fingerprint", "") for maker in makers]
    return "\n".join([_package(), *fingerprints]) if all(fingerprints) else ""


def file_fingerprint(*places: Path) -> str:
    """Digest of the names, sizes and times of files, or of all files of folders that are too large to read.

    A copy that keeps the modification time still has its own change time.
    """
    total = sha256()
    for place in places:
        for file in [place] if place.is_file() else sorted(filter(Path.is_file, place.rglob("*"))):
            state = file.stat()
            name = f"{file}\n{state.st_size}\n{state.st_mtime_ns}\n{state.st_ctime_ns}\n"
            total.update(name.encode("utf-8", "surrogateescape"))
    return total.hexdigest()


@lru_cache(maxsize=1)
def _package() -> str:
    """What annotation depends on in this package: its code, word vectors and numeric libraries."""
    total = sha256()
    code = sorted(file for file in (_PACKAGE / "annotation").rglob("*") if file.suffix in (".py", ".toml"))
    for file in [*code, *sorted(_VECTORS.glob("*"))]:
        content = file.read_bytes()
        total.update(f"{file.name}\n{len(content)}\n".encode())
        total.update(content)
    others = ", ".join(f"{package} {version(package)}" for package in _COMPUTING)
    return f"disco2 {VERSION} {total.hexdigest()}, {others}"


def annotate_with_store(
    store: LayerStore,
    makers: str,
    documents: Sequence[Document],
    layers: Layers,
    *,
    make: Callable[[Sequence[Document], Layers], list[Document]],
) -> tuple[list[Document], int]:
    """Annotate documents that the store does not have; also return how many it had.

    The key of a document is made of the annotators' fingerprint ``makers``, the layers, and what they are
    made from: the text alone if tokens are made, else the whole document. Its id does not matter.
    """
    if not makers:
        return make(documents, layers), 0
    keys = [_key(document, makers, layers) for document in documents]
    kept = store.get(keys)
    found: dict[bytes, Document] = {}  # the same text twice in one call has one key
    missing: dict[bytes, Document] = {}
    for key, document in zip(keys, documents, strict=True):
        recalled = _recall(kept[key], document, layers) if key in kept else None
        if recalled is None:
            missing[key] = document
        else:
            found[key] = recalled
    recalled_count = sum(key in found for key in keys)
    fresh = make(list(missing.values()), layers) if missing else []
    found |= zip(missing, fresh, strict=True)
    store.put([(key, _pack(found[key])) for key in missing])
    whole = [replace(found[key], id=document.id) for key, document in zip(keys, documents, strict=True)]
    return whole, recalled_count


def _key(document: Document, makers: str, layers: Layers) -> bytes:
    asked = ",".join(layer for layer in Layer if layer in layers)
    given = document.text if Layer.TOKENS in layers else repr(replace(document, id=""))
    total = sha256()
    for part in (f"{DOCUMENT_FORMAT}", makers, asked, given):
        content = part.encode("utf-8", "surrogatepass")
        total.update(f"{len(content)}\n".encode())
        total.update(content)
    return total.digest()


def _pack(document: Document) -> bytes:
    content = json.dumps(document_to_json(replace(document, id="")), separators=(",", ":"))
    return zlib.compress(content.encode(), _COMPRESSION)


def _recall(content: bytes, asked: Document, layers: Layers) -> Document | None:
    """The stored document; None if the entry is damaged or of another text."""
    try:
        unpacking = zlib.decompressobj()
        unpacked = unpacking.decompress(content, _SPARE_BYTES + _BYTES_A_CHARACTER * len(asked.text))
        if not unpacking.eof:  # cut off, or too long
            return None
        found, _ = parse_annotated(unpacked, where="cache")
    except (zlib.error, Disco2Error):
        return None
    same = found.text == asked.text and (Layer.TOKENS in layers or len(found.tokens) == len(asked.tokens))
    return found if same else None
