"""A cache of annotated documents, so that the same text is not annotated twice.

The cache is a folder in the user's cache folder, with a file for each document. It holds the user's texts, so
only the owner may read it. If anything is wrong with it, annotation continues without it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
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
from disco2.files import read_regular_file, write_bytes
from disco2.version import VERSION

FORMAT = 3  # part of the folder's name, so that versions of disco2 can be used side by side
OLDER_FILES = "layers-*.sqlite3*"  # of formats 1 and 2
VARIABLE = "DISCO2_CACHE"
MOST_BYTES = 1_000_000_000

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


def layer_folder() -> Path:
    """The folder that holds annotated documents."""
    return cache_folder() / f"layers-{FORMAT}"


class LayerStore:
    """Contents by key, a file for each; a context manager.

    If the folder can't be used, ``trouble`` says why, and the store behaves as if it were empty. A folder
    that can only be read is still read. When the store is closed after writing, the oldest files are removed
    if all together have more than ``most_bytes``.
    """

    def __init__(self, path: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self.path = path
        self.trouble = ""
        self._most_bytes = most_bytes
        self._written = False

    def __enter__(self) -> LayerStore:
        return self

    def __exit__(self, *_: object) -> None:
        if self._written:
            self._remove_oldest()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The contents of those keys that are there."""
        found: dict[bytes, bytes] = {}
        for key in keys:
            try:
                found[key] = read_regular_file(self.path / key.hex(), self._most_bytes)
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                self.trouble = self.trouble or str(error)
        return found

    def put(self, contents: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep contents under their keys."""
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)  # for this user alone
            if self.path.stat().st_mode & 0o077:  # made by another program, or copied
                self.path.chmod(0o700)
            for key, content in contents:
                write_bytes(self.path / key.hex(), content)
                self._written = True
        except (OSError, InputError) as error:
            self.trouble = self.trouble or getattr(error, "what", "") or str(error)

    def _remove_oldest(self) -> None:
        """Remove the files that were written first, down to nine tenths of the limit."""
        try:
            states = _file_states(self.path)
            excess = sum(state.st_size for state, _ in states) - self._most_bytes
            if excess <= 0:
                return
            excess += self._most_bytes // 10
            for state, file in sorted(states, key=lambda one: one[0].st_mtime_ns):
                if excess > 0:
                    file.unlink(missing_ok=True)
                    excess -= state.st_size
        except OSError as error:
            self.trouble = self.trouble or str(error)


def _file_states(folder: Path) -> list[tuple[os.stat_result, Path]]:
    """The files of a folder with size and time, without those that another process removes meanwhile."""
    states: list[tuple[os.stat_result, Path]] = []
    for file in folder.iterdir():
        with suppress(FileNotFoundError):
            states.append((file.stat(), file))
    return states


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
    path = layer_folder()
    try:
        sizes = [state.st_size for state, _ in _file_states(path)]
        return CacheSummary(path, len(sizes), sum(sizes))
    except FileNotFoundError:
        return CacheSummary(path, 0, 0)
    except OSError as error:
        return CacheSummary(path, 0, 0, trouble=str(error))


def clear_cache() -> CacheSummary:
    """Remove the cache, damaged or not, and those of older versions; return what was in it.

    Raises InputError if it can't be removed.
    """
    found = cache_summary()
    try:
        for file in found.path.parent.glob(OLDER_FILES):
            file.unlink(missing_ok=True)
        if found.path.is_dir():
            shutil.rmtree(found.path)
        else:
            found.path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"The cache can't be removed: {error.strerror or error}.",
            where=str(found.path),
            hint="Close the programs that use it, or remove the folder by hand.",
        ) from error
    return found


def fingerprint(annotators: Annotators, layers: Layers) -> str:
    """Cache key of the annotators that make these layers: weights, code and versions.

    Empty if one of them has no fingerprint, so that its output must not be cached.
    """
    makers = [annotators.maker(layer) for layer in Layer if layer in layers]
    fingerprints = [getattr(maker, "fingerprint", "") for maker in makers]
    return "\n".join([_package(), *fingerprints]) if all(fingerprints) else ""


def file_fingerprint(folder: Path) -> str:
    """Digest of the names, sizes and times of the files of a folder, which may be too large to read.

    A copy that keeps the modification time still has its own change time.
    """
    total = sha256()
    for file in sorted(filter(Path.is_file, folder.rglob("*"))):
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
