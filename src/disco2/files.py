"""Files are written beside their place and renamed into it, so that nobody ever sees half a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from disco2.errors import InputError


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Write UTF-8 text as it stands, all of it or nothing; folders are made as needed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                stream.writelines(pieces)
            Path(scratch).chmod(0o666 & ~_umask())  # mkstemp makes private files
            Path(scratch).replace(path)
        except BaseException:
            Path(scratch).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(
            f"The file can't be written: {error.strerror or error}.",
            where=str(path),
            hint="Choose another place, or make room on the disk.",
        ) from error


def is_file_name(name: str) -> bool:
    """Names of documents may come from anywhere; only plain ones may become the name of a file."""
    fits = 0 < len(name.encode(errors="replace")) < 200
    return fits and name not in (".", "..") and not any(character in name for character in "/\\:\0")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
