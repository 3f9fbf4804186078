"""Documents of a corpus: which files match, how they are split into shards, and their bytes.

Patterns have the shell's meaning: ``*``, ``?`` and ``[...]`` match within one name, ``**`` any number of
folders. None of them matches a leading dot, a link to a folder or a link to a file outside of the corpus.
"""

# There may be millions of names; strings take a fraction of the time that paths do.
# ruff: noqa: PTH100, PTH116, PTH118, PTH119
from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import blake2b, sha256
from pathlib import Path

from disco2.errors import Disco2Error, InputError
from disco2.files import read_regular_file
from disco2.inference.plain_text import check_text, decoded, has_word

ANY_FOLDERS, ANY_NAME = "**", "*"
_MAGIC = re.compile(r"[*?[]")
_EXAMPLE = "Give one such as: 'corpus/**/*.txt'"

SHORT = 1_000  # bytes of a document: a shard has about as many bytes as that many short ones
LARGEST = 4  # times the average size of a shard; one in fifty would be larger
_BITS = 64

Shard = tuple[bytes, ...]  # neighbouring documents, by their paths below the root
_States = set[tuple[int, tuple[str, ...]]]  # a pattern's number, and its components that are left


@dataclass(frozen=True, slots=True)
class Found:
    """A file below the root, or a folder that can't be read."""

    name: bytes  # its path below the root, as the system has it
    size: int


class FilePatterns:
    """Patterns with their common root; names of files are paths below it."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = tuple(patterns)
        parsed = [_parse(pattern) for pattern in patterns]
        if not parsed:
            raise InputError("There is no pattern of files.", hint=_EXAMPLE)
        try:
            self.root = os.path.commonpath([folder for folder, _ in parsed])
        except ValueError:
            raise InputError("The patterns have no folder in common.", hint="Use one disk.") from None
        below = [[*Path(folder).relative_to(self.root).parts, *rest] for folder, rest in parsed]
        self._states = {(number, tuple(parts)) for number, parts in enumerate(below)}
        self._matched: set[int] = set()

    @property
    def described(self) -> list[str]:
        """The patterns below the last name of their root: they don't depend on where the corpus is stored."""
        return sorted({"/".join([os.path.basename(self.root), *parts]) for _, parts in self._states})

    @property
    def unmatched(self) -> list[str]:
        """Patterns without a match in any walk so far."""
        return [one for number, one in enumerate(self.patterns) if number not in self._matched]

    def walk(self, *, without: Path | None = None) -> Iterator[Found]:
        """Yield all files in order of their paths, except those in the folder ``without``."""
        avoided = os.stat(without) if without is not None and without.is_dir() else None
        return self._walk("", self._states, avoided)

    def _walk(self, folder: str, states: _States, avoided: os.stat_result | None) -> Iterator[Found]:
        try:
            with os.scandir(os.path.join(self.root, folder)) as scan:
                entries = sorted(scan, key=lambda entry: os.fsencode(entry.name))
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            yield Found(os.fsencode(folder or "."), 0)
            return
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder, size = _look_at(entry)
            is_link = entry.is_symlink() and (is_folder or self._is_outside(path))
            left = _step(states, entry.name, is_link=is_link)
            complete = {number for number, parts in left if not parts}
            if not is_folder and complete:
                self._matched |= complete
                yield Found(os.fsencode(path), size)
            elif is_folder and len(left) > len(complete) and not _is_same(entry, avoided):
                yield from self._walk(path, left, avoided)

    def _is_outside(self, path: str) -> bool:
        root = os.path.realpath(self.root)
        return os.path.commonpath([root, os.path.realpath(os.path.join(root, path))]) != root


def _step(states: _States, name: str, *, is_link: bool) -> _States:
    """What is left of the patterns behind a name; a wildcard matches neither a leading dot nor a link."""
    found: _States = set()
    waiting = [state for state in states if state[1]]
    while waiting:
        number, parts = waiting.pop()
        first, rest = parts[0], parts[1:]
        hidden = name.startswith(".") and not first.startswith(".")
        if first == ANY_FOLDERS:
            waiting.append((number, rest))
            if not hidden and not is_link:
                found.add((number, parts))
        elif (
            not hidden and not is_link and fnmatchcase(name, first.replace("[^", "[!"))
            if _MAGIC.search(first)
            else name == first
        ):
            found.add((number, rest))
    return found


def _parse(pattern: str) -> tuple[str, list[str]]:
    """The folder before the first wildcard, and the parts that follow, at least one."""
    try:
        whole = Path(pattern).expanduser()
    except RuntimeError:
        raise InputError("Unknown home folder.", where=pattern) from None
    if pattern and whole.is_dir() and whole.parent != whole:
        hint = f"Name its files: '{pattern.rstrip(os.sep)}/**/*.txt'"
        raise InputError("This is a folder; files are needed.", where=pattern, hint=hint)
    parts = list(whole.parts)
    fixed = next((place for place, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
    fixed = min(fixed, len(parts) - 1)  # the last one is the file's name
    rest = parts[fixed:]
    if fixed < 0 or ".." in rest or whole.parent == whole:
        raise InputError("This is no pattern of files.", where=pattern, hint=_EXAMPLE)
    if rest[-1] == ANY_FOLDERS:
        rest.append(ANY_NAME)
    return os.path.abspath(os.path.join(*parts[:fixed]) if fixed else "."), rest


def _is_same(entry: os.DirEntry[str], folder: os.stat_result | None) -> bool:
    return folder is not None and os.path.samestat(entry.stat(), folder)


def _look_at(entry: os.DirEntry[str]) -> tuple[bool, int]:
    try:
        return entry.is_dir(), entry.stat().st_size
    except OSError:
        return False, 0


def split_shards(found: Iterable[Found], *, documents: int, most_bytes: int) -> Iterator[Shard]:
    """Split into shards of this number of documents on average, fewer if they are long.

    The path and size of a document alone decide whether a shard ends after it, so that a document more or
    less changes one shard. Documents of more than ``most_bytes`` won't be read and count as empty.
    """
    names: list[bytes] = []
    total = 0
    for one in found:
        size = one.size if one.size <= most_bytes else 0
        names.append(one.name)
        total += size
        full = len(names) >= LARGEST * documents or total >= LARGEST * documents * SHORT
        # True with probability (1 + size / SHORT) / documents, by a hash of the name.
        number = int.from_bytes(blake2b(one.name, digest_size=_BITS // 8).digest())
        if full or number * documents * SHORT < (SHORT + size) << _BITS:
            yield tuple(names)
            names, total = [], 0
    if names:
        yield tuple(names)


@dataclass(slots=True)
class Source:
    """A document's bytes, or the reason why there are none."""

    name: str
    content: bytes = b""
    sha256: str = ""
    refused: Disco2Error | None = None

    @property
    def identity(self) -> str:
        """Changes if the document changes or becomes readable."""
        return self.sha256 or f"refused: {self.refused}"

    def text(self, encoding: str) -> str | None:
        """Decode the bytes, which are freed; None if they are refused."""
        content, self.content = self.content, b""
        if self.refused is None:
            try:
                found = check_text(decoded(content, encoding=encoding))
                if has_word(found):
                    return found
                self.refused = InputError("There is no word in it.")
            except InputError as error:
                self.refused = error
        return None


def show_name(name: bytes) -> str:
    """A path as text; bytes that are not UTF-8 are escaped as in ``\\xe9``."""
    return name.decode("utf-8", "backslashreplace")


def read_source(root: str, name: bytes, most_bytes: int) -> Source:
    """Read a document; an error becomes the reason in its ``Source``."""
    source = Source(show_name(name))
    try:
        source.content = read_regular_file(Path(root, os.fsdecode(name)), most_bytes)
        source.sha256 = sha256(source.content).hexdigest()
    except ValueError as error:
        source.refused = InputError(f"{error}.", hint="Give a text file of at most --most-bytes.")
    except OSError as error:
        source.refused = InputError(f"It can't be read: {error.strerror or error}.")
    return source
