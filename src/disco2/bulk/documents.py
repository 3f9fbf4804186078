"""Documents of a corpus: which files match, how they are split into shards, and their bytes.

Patterns have the shell's meaning: ``*``, ``?`` and ``[...]`` match within one name, ``**`` any number of
folders. None of them matches a leading dot, a link to a folder or a link to a file outside of the corpus.
"""

# There may be millions of names; strings take a fraction of the time that paths do.
# ruff: noqa: PTH100, PTH116, PTH118, PTH119, PTH206
from __future__ import annotations

import fnmatch
import heapq
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from io import FileIO
from itertools import groupby
from pathlib import Path

from disco2.errors import Disco2Error, InputError
from disco2.inference.plain_text import check_text, decoded, has_word

ANY_FOLDERS, ANY_NAME = "**", "*"
_MAGIC = re.compile(r"[*?[]")
_PIECES = re.compile(r"(\*+|\?|\[[!^]?\]?[^\]]*\])")  # of a component with wildcards
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
        if not patterns:
            raise InputError("There is no pattern of files.", hint=_EXAMPLE)
        self.patterns = tuple(patterns)
        self._parsed = [_Pattern(pattern) for pattern in patterns]
        try:
            self.root = os.path.commonpath([pattern.folder for pattern in self._parsed])
        except ValueError:
            raise InputError("The patterns have no folder in common.", hint="Use one disk.") from None
        self._matched: set[_Pattern] = set()

    @property
    def described(self) -> list[str]:
        """The patterns below the last name of their root: they don't depend on where the corpus is stored."""
        root = os.path.basename(self.root)
        return sorted({"/".join([root, *self._below(one), *one.parts]) for one in self._parsed})

    @property
    def unmatched(self) -> list[str]:
        """Patterns without a match in any walk so far."""
        pairs = zip(self.patterns, self._parsed, strict=True)
        return [text for text, pattern in pairs if pattern not in self._matched]

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
        """Yield all files once, in order of their paths, except those in the folder ``without``."""
        avoided = os.stat(without) if without is not None and without.is_dir() else None
        walks = [self._walk(pattern, "", avoided) for pattern in self._parsed]
        merged = heapq.merge(*walks, key=lambda found: found.name.split(b"/"))
        for _, same in groupby(merged, key=lambda found: found.name):
            yield next(same)

    def _below(self, pattern: _Pattern) -> list[str]:
        below = os.path.relpath(pattern.folder, self.root)
        return [] if below == "." else below.split(os.sep)

    def _walk(self, pattern: _Pattern, folder: str, avoided: os.stat_result | None) -> Iterator[Found]:
        """All matches in a folder that ends in a slash, or in the pattern's own."""
        prefix = "".join(f"{part}/" for part in self._below(pattern))
        try:
            with os.scandir(os.path.join(pattern.folder, folder)) as scan:
                entries = sorted(scan, key=lambda entry: os.fsencode(entry.name))
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            yield Found(os.fsencode((prefix + folder).rstrip("/") or "."), 0)
            return
        for entry in entries:
            path = folder + entry.name
            is_folder = _is_folder(entry)
            is_link = entry.is_symlink() and not pattern.names(path)
            allowed = is_folder or not is_link or self._is_inside(prefix + path)
            if allowed and pattern.matches(path, is_folder=is_folder):
                self._matched.add(pattern)
                yield Found(os.fsencode(prefix + path), _size(entry))
            if not is_folder or is_link or not pattern.matches_below(f"{path}/"):
                continue
            if avoided is None or not os.path.samestat(entry.stat(), avoided):
                yield from self._walk(pattern, f"{path}/", avoided)

    def _is_inside(self, path: str) -> bool:
        root = os.path.realpath(self.root)
        return os.path.commonpath([root, os.path.realpath(os.path.join(root, path))]) == root


class _Pattern:
    """A pattern: the folder before its first wildcard, and the parts that follow, at least one."""

    def __init__(self, pattern: str) -> None:
        if "\0" in pattern:
            raise InputError("A pattern can't contain a NUL character.", where=pattern.replace("\0", "?"))
        try:
            whole = Path(pattern).expanduser()
        except RuntimeError:
            raise InputError("Unknown home folder.", where=pattern) from None
        parts = list(whole.parts)
        fixed = next((place for place, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
        fixed = min(fixed, len(parts) - 1)  # the last one is the file's name
        self.parts = parts[fixed:]
        if fixed < 0 or ".." in self.parts or whole.parent == whole:
            raise InputError("This is no pattern of files.", where=pattern, hint=_EXAMPLE)
        if self.parts[-1] == ANY_FOLDERS:
            self.parts.append(ANY_NAME)
        self.folder = os.path.abspath(os.path.join(*parts[:fixed]) if fixed else ".")
        *above, last = map(_regular_expression, self.parts)
        self._file = re.compile("".join(above) + last.removesuffix("/"))
        below = ""
        for part in reversed(above):
            below = f"(?:{part}{below})?"
        self.matches_below = re.compile(below).fullmatch  # of a folder with a slash: files in it may match

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Whether a path matches. A folder is reported if a pattern names it, not for a final ``*``."""
        star = is_folder and self.parts[-1].endswith(ANY_NAME)
        return not star and self._file.fullmatch(path) is not None

    def names(self, path: str) -> bool:
        """Whether the last component of a path is there as it is, with no wildcard for it."""
        parts = self.parts[: path.count("/") + 1]
        return ANY_FOLDERS not in parts and not _MAGIC.search(parts[-1])


def _regular_expression(part: str) -> str:
    """A component of a pattern and the slash behind it."""
    if part == ANY_FOLDERS:
        return r"(?:(?!\.)[^/]+/)*"
    if not _MAGIC.search(part):
        return f"{re.escape(part)}/"
    found = "" if part.startswith(".") else r"(?!\.)"
    for piece in _PIECES.split(part):
        if piece.startswith("*"):
            found += "[^/]*"
        elif piece == "?":
            found += "[^/]"
        elif _PIECES.fullmatch(piece):  # "(?s:CLASS)\Z" without what is around the class
            found += f"(?!/){fnmatch.translate(piece.replace('[^', '[!'))[4:-3]}"
        else:
            found += re.escape(piece)
    return f"{found}/"


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
