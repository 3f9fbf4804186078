"""Documents with their layers on disk: as JSON, and in a cache, so that no text is annotated twice.

docs/json.md describes the JSON. The cache is a folder in the user's cache folder, with a file for each
document. It holds the user's texts, so only the owner may read it. If anything is wrong with it, annotation
continues without it.
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
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from disco2.data import Constituents, Dependencies, Document, Mention, Sentence, Token
from disco2.data.records import token_in_cycle
from disco2.errors import Disco2Error, InputError, LayerError
from disco2.files import read_regular_file, write_bytes
from disco2.version import VERSION

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from disco2.annotation.annotator import Annotators, Layers

FORMAT = 1  # of the JSON
_HINT = "Write it again with: disco2 annotate"

_T = TypeVar("_T")


@cache
def _adapter(record: type[_T]) -> TypeAdapter[_T]:
    from pydantic import TypeAdapter

    return TypeAdapter(record)


def document_to_json(document: Document, *, annotators: str = "") -> dict[str, Any]:
    """The document as lists, strings and numbers; ``annotators`` names the annotators of its layers."""
    layers = _adapter(Document).dump_python(document, mode="json")
    return {"format": FORMAT, "disco2": VERSION, "annotators": annotators, **layers}


@dataclass(frozen=True)
class _Stored:
    """The fields of the JSON; pydantic checks their types."""

    format: int
    id: str
    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...] | None
    annotators: str = ""


def parse_annotated(text: str | bytes, *, where: str) -> tuple[Document, str]:
    """The document in a JSON text and the names of its annotators, which may be empty.

    Raises LayerError with the place of the first value that is not valid.
    """
    from pydantic import ValidationError

    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text))
        stored = _adapter(_Stored).validate_json(text, strict=True)
    except UnicodeDecodeError as error:
        raise LayerError(f"This is not JSON: {error}.", where=where, hint=_HINT) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        where = f"{where}: {place.removeprefix('.')}" if place else where
        raise LayerError(f"{first['msg']}.", where=where, hint=_HINT) from None
    if not 1 <= stored.format <= FORMAT:
        raise LayerError(
            f"The document has format {stored.format}; this program reads formats up to {FORMAT}.",
            where=where,
            hint="Update the program with: pip install --upgrade disco2",
        )
    if fault := _fault(stored):
        raise LayerError(f"{fault}.", where=where, hint=_HINT)
    document = Document(stored.id, stored.text, stored.tokens, stored.sentences, stored.mentions)
    return document, stored.annotators


def _fault(stored: _Stored) -> str:
    """The first value that does not fit the others; empty if all fit."""
    behind = 0
    for number, token in enumerate(stored.tokens):
        # A token may overlap the last character of the previous one: a treebank adds a full stop after an
        # abbreviation at the end of a sentence.
        overlaps = token.start < behind and not (token.start == behind - 1 and token.end == behind)
        inside = 0 <= token.start <= token.end <= len(stored.text)
        if overlaps or not inside or stored.text[token.start : token.end].isspace():
            return f"tokens[{number}] is outside the text, only space, or overlaps the previous token"
        behind = token.end
    behind = 0
    for number, one in enumerate(stored.sentences):
        if not behind == one.start < one.end <= len(stored.tokens):
            return f"sentences[{number}] must begin at token {behind} and have at least one token"
        behind = one.end
        if one.constituents is not None and not _is_tree(one.constituents, len(one)):
            return f"sentences[{number}].constituents are not a tree over its {len(one)} tokens"
        if one.dependencies is not None and not _has_heads(one.dependencies, len(one)):
            return f"sentences[{number}].dependencies are not a tree over its {len(one)} tokens"
    if behind != len(stored.tokens):
        return f"sentences cover {behind} of {len(stored.tokens)} tokens"
    for number, mention in enumerate(stored.mentions or ()):
        if not 0 <= mention.start <= mention.head < mention.end <= len(stored.tokens):
            return f"mentions[{number}] has tokens or a head out of range"
    return ""


def _is_tree(tree: Constituents, tokens: int) -> bool:
    """Whether the phrases are in pre-order, each inside its parent and behind its earlier siblings."""
    nodes = len(tree.labels)
    if not nodes == len(tree.starts) == len(tree.ends) == len(tree.parents) or not nodes:
        return False
    if (len(tree.tags), tree.starts[0], tree.ends[0], tree.parents[0]) != (tokens, 0, tokens, -1):
        return False
    covered = list(tree.starts)  # the end of each phrase's last child
    for node in range(1, nodes):
        parent, start, end = tree.parents[node], tree.starts[node], tree.ends[node]
        if not (0 <= parent < node and tree.starts[node - 1] <= start):
            return False
        if not covered[parent] <= start < end <= tree.ends[parent]:
            return False
        covered[parent] = end
    return True


def _has_heads(parse: Dependencies, tokens: int) -> bool:
    in_range = tokens == len(parse.heads) == len(parse.labels) and all(
        -1 <= head < tokens for head in parse.heads
    )
    return in_range and token_in_cycle(parse.heads) is None


# The cache.

CACHE_FORMAT = 3  # part of the folder's name, so that versions of disco2 can be used side by side
VARIABLE = "DISCO2_CACHE"
MOST_BYTES = 1_000_000_000
_COMPRESSION = 3  # higher levels hardly save more
_PACKAGE = Path(__file__).resolve().parents[1]
_COMPUTING = ("numpy", "thinc", "spacy")


def layer_folder() -> Path:
    """The folder of annotated documents, in DISCO2_CACHE or else in the user's cache folder.

    That is ~/Library/Caches/disco2 on macOS, %LOCALAPPDATA%\\disco2\\Cache on Windows, and elsewhere
    $XDG_CACHE_HOME/disco2 or ~/.cache/disco2. Raises InputError if there is no home folder.
    """
    try:
        if chosen := os.environ.get(VARIABLE):
            folder = Path(chosen).expanduser().absolute()
        elif sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
            folder = Path(local) / "disco2" / "Cache"
        elif sys.platform == "darwin":
            folder = Path.home() / "Library" / "Caches" / "disco2"
        else:
            shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
            folder = (shared if shared.is_absolute() else Path.home() / ".cache") / "disco2"
    except RuntimeError:
        hint = f"Set {VARIABLE} to another folder."
        raise InputError("There is no home folder for the cache.", hint=hint) from None
    return folder / f"layers-{CACHE_FORMAT}"


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
        if not self._written:
            return
        try:
            states = sorted(_file_states(self.path), key=lambda one: one[0].st_mtime_ns)
            excess = sum(state.st_size for state, _ in states) - self._most_bytes
            if excess > 0:
                excess += self._most_bytes // 10
            for state, file in states:
                if excess > 0:
                    file.unlink(missing_ok=True)
                    excess -= state.st_size
        except OSError as error:
            self.trouble = self.trouble or str(error)

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
    documents: int = 0
    bytes: int = 0
    most_bytes: int = MOST_BYTES
    trouble: str = ""


def cache_summary() -> CacheSummary:
    """Describe the cache without creating or changing it. Raises InputError if there is no home folder."""
    path = layer_folder()
    try:
        sizes = [state.st_size for state, _ in _file_states(path)]
        return CacheSummary(path, len(sizes), sum(sizes))
    except OSError as error:
        return CacheSummary(path, trouble="" if isinstance(error, FileNotFoundError) else str(error))


def clear_cache() -> CacheSummary:
    """Remove the cache, damaged or not; return what was in it. Raises InputError if it can't be removed."""
    found = cache_summary()
    try:
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
    fingerprints = [getattr(maker, "fingerprint", "") for maker in annotators.makers(layers)]
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
    code = [file for file in (_PACKAGE / "annotation").rglob("*") if file.suffix in (".py", ".toml")]
    vectors = (_PACKAGE / "models" / "glove-100d-50k").glob("*")
    parts = [part for file in [*sorted(code), *sorted(vectors)] for part in (file.name, file.read_bytes())]
    others = ", ".join(f"{package} {version(package)}" for package in _COMPUTING)
    return f"disco2 {VERSION} {_digest(parts).hex()}, {others}"


def _digest(parts: Iterable[str | bytes]) -> bytes:
    """The SHA-256 of contents and their lengths."""
    total = sha256()
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(f"{len(content)}\n".encode())
        total.update(content)
    return total.digest()


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
    asked, from_text = ",".join(sorted(layers)), "tokens" in layers
    given = [one.text if from_text else repr(replace(one, id="")) for one in documents]
    keys = [_digest((f"{FORMAT}", makers, asked, one)) for one in given]
    kept = store.get(keys)
    found: dict[bytes, Document] = {}  # the same text twice in one call has one key
    missing: dict[bytes, Document] = {}
    for key, document in zip(keys, documents, strict=True):
        recalled = _unpack(kept.get(key, b""), len(document.text))
        same = recalled is not None and recalled.text == document.text
        if recalled is not None and same and (from_text or len(recalled.tokens) == len(document.tokens)):
            found[key] = recalled
        else:
            missing[key] = document
    recalled_count = sum(key in found for key in keys)
    fresh = make(list(missing.values()), layers) if missing else []
    found |= zip(missing, fresh, strict=True)
    store.put([(key, _pack(found[key])) for key in missing])
    whole = [replace(found[key], id=document.id) for key, document in zip(keys, documents, strict=True)]
    return whole, recalled_count


def _pack(document: Document) -> bytes:
    content = json.dumps(document_to_json(replace(document, id="")), separators=(",", ":"))
    return zlib.compress(content.encode(), _COMPRESSION)


def _unpack(content: bytes, characters: int) -> Document | None:
    """The stored document; None if the entry is damaged, or too long for a text of that many characters."""
    try:
        unpacked = zlib.decompressobj().decompress(content, 1_000_000 + 2_000 * characters)
        return parse_annotated(unpacked, where="cache")[0]
    except (zlib.error, Disco2Error):
        return None
