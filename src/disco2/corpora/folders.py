"""Folders that somebody else filled."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from disco2.errors import CorpusError


def existing_folder(path: Path, *, holds: str) -> Path:
    """The folder itself; raises CorpusError, saying what it should hold, where it is not there."""
    if not path.is_dir():
        problem = "This is a file, not a folder" if path.exists() else "There is no such folder"
        raise CorpusError(f"{problem}; {holds} should be there.", where=str(path), hint="Check the path.")
    return path


def files_below(folder: Path) -> Iterator[Path]:
    """All files below a folder but the hidden ones, in order; CorpusError where a folder can't be read."""
    paths = [
        Path(inside, name)
        for inside, _, names in os.walk(folder, onerror=_raise)
        for name in names
        if not name.startswith(".")
    ]
    return (path for path in sorted(paths) if path.is_file())


def _raise(error: OSError) -> None:
    """Python would pass over a folder without rights, and the corpus would silently lose it."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise CorpusError(
            f"The folder can't be read ({error.strerror or error}).",
            where=str(error.filename),
            hint="Check its rights.",
        )
