"""Files and folders are written beside their place and renamed into it: nobody ever sees half of one."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from disco2.errors import InputError

_TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "replace", "newline": ""}
_SCRATCH = re.compile(r"\..+-[a-z0-9_]{8}")  # as tempfile names them: a file's name, and eight characters


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Write UTF-8 text as it stands, all of it or nothing; folders are made as needed.

    Where the path is a symbolic link, the file it points to is replaced. What UTF-8 can't write, such as the
    undecodable bytes of a file's name, becomes a question mark.
    """
    with _in_place(path) as handle, os.fdopen(handle, "w", **_TEXT) as stream:
        stream.writelines(pieces)


def write_bytes(path: Path, content: bytes) -> None:
    """Write bytes, all of them or nothing, as ``write_text`` does."""
    with _in_place(path) as handle, os.fdopen(handle, "wb") as stream:
        stream.write(content)


def append_text(path: Path, text: str) -> None:
    """Add UTF-8 text to the end of a file; a process that is killed may leave half of it."""
    with _reported(path), path.open("a", **_TEXT) as stream:
        stream.write(text)


def remove_scratch(folder: Path) -> None:
    """Remove what writers that were killed left in a folder and below; nobody else may be writing there."""
    with _reported(folder):
        for file in folder.rglob(".*"):
            if _SCRATCH.fullmatch(file.name) and file.is_file():
                file.unlink(missing_ok=True)


def behind_link(path: Path) -> Path:
    """Where a symbolic link leads to; any other path as it is."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def check_file_place(path: Path) -> None:
    """Raise InputError where something stands that is no file: a folder, or a device such as /dev/null."""
    with _reported(path):
        if path.exists() and not path.is_file():
            raise InputError("It is there and is no file.", where=str(path), hint="Choose another place.")


@contextmanager
def folder_in_place(path: Path) -> Iterator[Path]:
    """An empty folder to fill, which takes its place at the end; what was there stays if anything fails.

    Where the path is a symbolic link, the folder it points to is replaced.
    """
    with _reported(path):
        target = _replaceable(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as scratch:
            fresh, old = Path(scratch) / "new", Path(scratch) / "old"
            fresh.mkdir()
            yield fresh
            try:
                if target.exists():
                    target.rename(old)
                fresh.rename(target)
            except BaseException:  # an interrupt, too
                if old.exists() and not target.exists():
                    old.rename(target)
                raise


def check_folder_place(path: Path) -> None:
    """Raise InputError unless ``folder_in_place`` can write here; asked before long work starts."""
    with _reported(path):
        target = _replaceable(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=target.parent):
            pass


def is_empty_or_new(path: Path) -> bool:
    """Whether nothing is lost by writing a folder there."""
    with _reported(path):
        return not path.exists() or (path.is_dir() and not any(path.iterdir()))


def is_file_name(name: str) -> bool:
    """Names of documents may come from anywhere; only plain ones may become the name of a file."""
    fits = 0 < len(name.encode(errors="replace")) < 200
    return fits and name not in (".", "..") and not any(character in name for character in "/\\:\0")


def _replaceable(path: Path) -> Path:
    """The real path of a folder to replace; InputError where a folder can't be moved out of the way."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise InputError("The symbolic link leads nowhere.", where=str(path), hint="Choose another place.")
    if target.is_mount() or Path.cwd().is_relative_to(target):
        raise InputError(
            "A folder can't be replaced while it is the current one or where a disk is mounted.",
            where=str(path),
            hint="Choose another place, such as a new folder inside it.",
        )
    return target


@contextmanager
def _in_place(path: Path) -> Iterator[int]:
    """The handle of a file beside its place, which it takes at the end; gone if anything fails."""
    check_file_place(path)
    path = behind_link(path)
    with _reported(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        scratch = Path(name)
        try:
            yield handle
            scratch.chmod(0o666 & ~_umask())  # mkstemp makes private files
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Turn what the system says about a place into an error of ours."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"It can't be written: {error.strerror or error}.",
            where=str(path),
            hint="Choose another place, or make room on the disk.",
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
