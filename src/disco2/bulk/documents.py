"""Documents of a corpus: which files match, how they are split into shards, and their bytes.

Patterns have the shell's meaning: ``*``, ``?`` and ``[...]`` match within one name, ``**`` any number of
folders. None of them matches a leading dot, a link to a folder or a link to a file outside of the corpus.
"""

# There may be millions of names; strings take a fraction of the time that paths do.
# ruff: noqa: PTH100, PTH116, PTH118, PTH119, PTH206
from __future__ import annotations

import fnmatch
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from disco2.errors import Disco2Error, InputError
from disco2.inference.plain_text import check_text, decoded, has_word

ANY_FOLDERS, ANY_NAME = "**", "*"
_MAGIC = re.compile(r"[*?[]")
_EXAMPLE = "Give one such as: 'corpus/**/*.txt'"

SHORT = 1_000  # bytes of a document: a shard has about as many bytes as that many short ones
LARGEST = 4  # times the average size of a shard; one in fifty would be larger
_BITS = 64

Shard = tuple[bytes, ...]  # neighbouring documents, by their paths below the root


@dataclass(frozen=True, slots=True)
class Found:
    """A file below the root, or a folder or link that can't be read."""

    name: bytes  # its path below the root, as the system has it
    size: int


class FilePatterns:
    """Patterns with their common root; names of files are paths below it."""

    def __init__(self, patterns: Sequence[str]) -> None:
        parsed = [_parse(pattern) for pattern in patterns]
        if not parsed:
            raise InputError("There is no pattern of files.", hint=_EXAMPLE)
        self.patterns = tuple(patterns)
        try:
            self.root = os.path.commonpath([folder for folder, _ in parsed])
        except ValueError:
            raise InputError("The patterns have no folder in common.", hint="Use one disk.") from None
        self._parsed = [
            [_Part(text) for text in (*_parts_below(folder, self.root), *rest)] for folder, rest in parsed
        ]
        self._matched: set[int] = set()

    @property
    def described(self) -> list[str]:
        """The patterns below the last name of their root: they don't depend on where the corpus is stored."""
        name = os.path.basename(self.root)
        return sorted({"/".join([name, *(part.text for part in parts)]) for parts in self._parsed})

    @property
    def unmatched(self) -> list[str]:
        """Patterns without a match in any walk so far."""
        return [one for number, one in enumerate(self.patterns) if number not in self._matched]

    def check_folders(self) -> None:
        """Raise InputError if a pattern is the plain name of a folder."""
        for pattern in self.patterns:
            if Path(pattern).expanduser().is_dir():
                raise InputError(
                    "This is a folder; files are needed.",
                    where=pattern,
                    hint=f"Name its files: '{pattern.rstrip(os.sep)}/**/*.txt'",
                )

    def walk(self, *, without: Path | None = None) -> Iterator[Found]:
        """Yield all files in order of their paths, except those in the folder ``without``."""
        avoided = os.stat(without) if without is not None and without.is_dir() else None
        return self._walk("", (), avoided)

    def _walk(
        self, folder: str, folders: tuple[_Name, ...], avoided: os.stat_result | None
    ) -> Iterator[Found]:
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
            is_folder = _is_folder(entry)
            is_link = not is_folder and entry.is_symlink() and self._is_outside(path)
            if self._matches((*folders, _Name(entry.name, is_link)), is_folder=is_folder):
                yield Found(os.fsencode(path), _size(entry))
            if not is_folder:
                continue
            below = (*folders, _Name(entry.name, entry.is_symlink()))
            if any(_match_folder(below, parts) for parts in self._parsed) and (
                avoided is None or not os.path.samestat(entry.stat(), avoided)
            ):
                yield from self._walk(path, below, avoided)

    def _is_outside(self, path: str) -> bool:
        root = os.path.realpath(self.root)
        return os.path.commonpath([root, os.path.realpath(os.path.join(root, path))]) != root

    def _matches(self, names: Sequence[_Name], *, is_folder: bool) -> bool:
        """Whether a pattern matches. A folder is reported if a pattern names it, not for a final ``*``."""
        found = [
            number
            for number, parts in enumerate(self._parsed)
            if _match(names, parts) and not (is_folder and parts[-1].text.endswith(ANY_NAME))
        ]
        self._matched.update(found)
        return bool(found)


class _Name(NamedTuple):
    """One component of a path."""

    text: str
    is_link: bool  # to a folder, or to a file outside of the corpus


class _Part:
    """One component of a pattern."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.any_folders = text == ANY_FOLDERS
        self.plain = not _MAGIC.search(text)
        self._match = re.compile(fnmatch.translate(text.replace("[^", "[!"))).match

    def matches(self, name: _Name) -> bool:
        """A wildcard matches no leading dot, no link to a folder, and no link out of the corpus."""
        if self.plain:
            return name.text == self.text
        hidden = name.text.startswith(".") and not self.text.startswith(".")
        return not hidden and not name.is_link and self._match(name.text) is not None


def _match(names: Sequence[_Name], parts: Sequence[_Part]) -> bool:
    """Whether a path matches a whole pattern."""
    if not parts or not names:
        return not parts and not names
    if parts[0].any_folders and _match(names, parts[1:]):
        return True
    rest = parts if parts[0].any_folders else parts[1:]
    return parts[0].matches(names[0]) and _match(names[1:], rest)


def _match_folder(names: Sequence[_Name], parts: Sequence[_Part]) -> bool:
    """Whether files below a folder may match a pattern."""
    if not names:
        return bool(parts)
    if len(parts) < 2:
        return False
    if parts[0].any_folders and _match_folder(names, parts[1:]):
        return True
    return parts[0].matches(names[0]) and _match_folder(
        names[1:], parts if parts[0].any_folders else parts[1:]
    )


def _parse(pattern: str) -> tuple[str, list[str]]:
    """The folder before the first wildcard, and the parts that follow, at least one."""
    if "\0" in pattern:
        raise InputError("A pattern can't contain a NUL character.", where=pattern.replace("\0", "?"))
    try:
        whole = Path(pattern).expanduser()
    except RuntimeError:
        raise InputError("Unknown home folder.", where=pattern) from None
    parts = list(whole.parts)
    fixed = next((place for place, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
    fixed = min(fixed, len(parts) - 1)  # the last one is the file's name
    rest = parts[fixed:]
    if fixed < 0 or ".." in rest or whole.parent == whole:
        raise InputError("This is no pattern of files.", where=pattern, hint=_EXAMPLE)
    if rest[-1] == ANY_FOLDERS:
        rest.append(ANY_NAME)
    return os.path.abspath(os.path.join(*parts[:fixed]) if fixed else "."), rest


def _parts_below(path: str, root: str) -> list[str]:
    below = os.path.relpath(path, root)
    return [] if below == "." else below.split(os.sep)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _size(entry: os.DirEntry[str]) -> int:
    try:
        found = entry.stat()
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


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
        if full or _ends_shard(one.name, size, documents):
            yield tuple(names)
            names, total = [], 0
    if names:
        yield tuple(names)


def _ends_shard(name: bytes, size: int, documents: int) -> bool:
    """True with probability ``(1 + size / SHORT) / documents``, by a hash of the name."""
    number = int.from_bytes(blake2b(name, digest_size=_BITS // 8).digest())
    return number * documents * SHORT < (SHORT + size) << _BITS


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


def read_source(root: str, name: bytes, *, most_bytes: int) -> Source:
    """Read a document; an error becomes the reason in its ``Source``."""
    source = Source(show_name(name))
    try:
        source.content = _read(os.fsencode(root) + b"/" + name, most_bytes)
        source.sha256 = sha256(source.content).hexdigest()
    except InputError as error:
        source.refused = error
    except FileNotFoundError:
        source.refused = InputError("There is no such file.", hint="It was removed, or is a broken link.")
    except OSError as error:
        source.refused = InputError(f"It can't be read: {error.strerror or error}.")
    return source


def _read(path: bytes, most_bytes: int) -> bytes:
    # O_NONBLOCK: opening a pipe must not wait for its other end.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        before = os.fstat(handle)
        if stat.S_ISDIR(before.st_mode):
            raise InputError("This is a folder; a file is needed.")
        if not stat.S_ISREG(before.st_mode):
            raise InputError("This is a pipe or a device; a file is needed.")
        if before.st_size > most_bytes:
            raise InputError(
                f"It has {before.st_size} bytes; the limit is {most_bytes}.",
                hint="Split it, or raise the limit: --most-bytes",
            )
        # No buffer, which would keep an earlier state.
        content = FileIO(handle, "rb", closefd=False).read(before.st_size + 1)
        after = os.fstat(handle)
    finally:
        os.close(handle)
    if len(content) != before.st_size or before.st_mtime_ns != after.st_mtime_ns:
        raise InputError("It changes while it is read.", hint="Run the command again when it is finished.")
    return content
