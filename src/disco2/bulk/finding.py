"""Which files are meant: a lazy walk in the order of their paths, for all patterns at once.

Patterns have the shell's meaning: ``*``, ``?`` and ``[...]`` match within one name, ``**`` any number of
folders. None of them matches a leading dot, and ``**`` does not follow links to folders; so each file comes
once, and links in a circle do no harm. Only the names of the folders on the way to a file are held at a time.
"""

# There may be millions of names, and strings take a fraction of the time that paths do.
# ruff: noqa: PTH100, PTH112, PTH114, PTH116, PTH118, PTH119, PTH206
from __future__ import annotations

import fnmatch
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from disco2.errors import InputError

ANY_FOLDERS, ANY_NAME = "**", "*"
_MAGIC = re.compile(r"[*?[]")

_Places = frozenset[tuple[int, int]]  # pattern, and which of its components comes next


@dataclass(frozen=True, slots=True)
class Found:
    """A file below the root, or what can't be looked into: a folder that is locked, a link to nowhere."""

    name: bytes  # its path below the root, as the system has it
    size: int


class FilePatterns:
    """Patterns with their common root; names of files are paths below that."""

    def __init__(self, patterns: Sequence[str]) -> None:
        parsed = [_parsed(pattern) for pattern in patterns]
        if not parsed:
            raise InputError("There is no pattern of files.", hint="Give one, such as: 'corpus/**/*.txt'")
        self.patterns = tuple(patterns)
        try:
            self.root = os.path.commonpath([root for root, _ in parsed])
        except ValueError:
            raise InputError("The patterns have no folder in common.", hint="Keep to one disk.") from None
        self._components = [
            (*(map(_Name, _parts_below(root, self.root))), *map(_Name, rest)) for root, rest in parsed
        ]
        self._matched: set[int] = set()

    @property
    def described(self) -> list[str]:
        """The patterns below the last name of their root: the same wherever the corpus lies."""
        name = os.path.basename(self.root)
        return sorted({"/".join([name, *(one.text for one in parts)]) for parts in self._components})

    @property
    def unmatched(self) -> list[str]:
        """Patterns that have matched nothing in any walk so far."""
        return [one for number, one in enumerate(self.patterns) if number not in self._matched]

    def check_folders(self) -> None:
        """Raise InputError where a pattern is the plain name of a folder."""
        for pattern in self.patterns:
            if Path(pattern).expanduser().is_dir():
                raise InputError(
                    "This is a folder; files are needed.",
                    where=pattern,
                    hint=f"Say which of its files: '{pattern.rstrip(os.sep)}/**/*.txt'",
                )

    def walk(self, *, without: Path | None = None) -> Iterator[Found]:
        """All files, in order; what lies in the folder ``without`` is no input."""
        avoided = os.stat(without) if without is not None and without.is_dir() else None
        everything = frozenset((number, 0) for number in range(len(self._components)))
        stack = [self._entries("", everything)]
        while stack:
            entry = next(stack[-1], None)
            if entry is None:
                stack.pop()
                continue
            if entry.matched:
                yield Found(os.fsencode(entry.path), _size(os.path.join(self.root, entry.path)))
            if entry.below and not self._is_avoided(entry.path, avoided):
                stack.append(self._entries(entry.path, entry.below))

    def _entries(self, folder: str, places: _Places) -> Iterator[_Entry]:
        """What may match in a folder, by name; the folder itself where it can't be read."""
        places = self._with_what_follows(places)
        try:
            names = self._listed(folder, places)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            yield _Entry(folder or ".", matched=True)
            return
        for name, kind in names:
            entry = self._entry(folder, name, kind, places)
            if entry.matched or entry.below:
                yield entry

    def _listed(self, folder: str, places: _Places) -> list[tuple[str, _Kind]]:
        """Names, in order of their bytes, with what they are. Where all are known, nothing else is read."""
        here = os.path.join(self.root, folder)
        wanted = [self._components[pattern][at] for pattern, at in places]
        if all(one.plain for one in wanted):
            listed = [
                (name, _kind_of(os.path.join(here, name)))
                for name in {one.text for one in wanted}
                if os.path.lexists(os.path.join(here, name))
            ]
        else:
            with os.scandir(here) as entries:
                listed = [
                    (entry.name, _Kind(_is_folder(entry), entry.is_symlink()))
                    for entry in entries
                    if any(one.takes(entry.name) for one in wanted)
                ]
        return sorted(listed, key=lambda one: os.fsencode(one[0]))

    def _entry(self, folder: str, name: str, kind: _Kind, places: _Places) -> _Entry:
        path = f"{folder}/{name}" if folder else name
        below: set[tuple[int, int]] = set()
        matched = False
        for pattern, at in places:
            components = self._components[pattern]
            component = components[at]
            if not component.takes(name):
                continue
            if component.text == ANY_FOLDERS:
                if kind.folder and not kind.link:
                    below.add((pattern, at))
            elif at + 1 < len(components):
                if kind.folder:
                    below.add((pattern, at + 1))
            elif not (kind.folder and component.text.endswith(ANY_NAME)):  # a star at the end means files
                matched = True
                self._matched.add(pattern)
        return _Entry(path, matched, frozenset(below))

    def _with_what_follows(self, places: _Places) -> _Places:
        """``**`` may stand for no folder at all."""
        found = set(places)
        for pattern, at in places:
            while self._components[pattern][at].text == ANY_FOLDERS:
                at += 1
                found.add((pattern, at))
        return frozenset(found)

    def _is_avoided(self, path: str, avoided: os.stat_result | None) -> bool:
        if avoided is None:
            return False
        try:
            return os.path.samestat(os.stat(os.path.join(self.root, path)), avoided)
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class _Kind:
    folder: bool
    link: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    path: str
    matched: bool = False
    below: _Places = frozenset()


class _Name:
    """One component of a pattern."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = not _MAGIC.search(text)
        self._matches = re.compile(fnmatch.translate(text.replace("[^", "[!"))).match

    def takes(self, name: str) -> bool:
        if self.plain:
            return name == self.text
        if name.startswith(".") and not self.text.startswith("."):
            return False
        return self._matches(name) is not None


def _parsed(pattern: str) -> tuple[str, list[str]]:
    """The folder that a pattern is fixed to, and the components that follow, at least one."""
    if "\0" in pattern:
        raise InputError("A pattern can't hold a NUL.", where=pattern.replace("\0", "?"))
    try:
        whole = Path(pattern).expanduser()
    except RuntimeError:
        raise InputError("There is no home folder of that name.", where=pattern) from None
    parts = list(whole.parts)
    fixed = next((place for place, part in enumerate(parts) if _MAGIC.search(part)), len(parts))
    fixed = min(fixed, len(parts) - 1)  # the last one is the file's name
    rest = parts[fixed:]
    if fixed < 0 or ".." in rest or whole.parent == whole:
        raise InputError(
            "This is no pattern of files.", where=pattern, hint="Give one such as: 'corpus/**/*.txt'"
        )
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


def _kind_of(path: str) -> _Kind:
    return _Kind(os.path.isdir(path), os.path.islink(path))


def _size(path: str) -> int:
    try:
        found = os.stat(path)
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0
