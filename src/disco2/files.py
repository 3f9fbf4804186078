"""Files are written beside their place and renamed into it, so that nobody ever sees half a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from disco2.errors import InputError


def write_text(path: Path, lines: Iterable[str]) -> None:
    """Write pieces of text to a file, all of them or none; parents are made where they are missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.writelines(lines)
            Path(scratch).chmod(0o666 & ~_umask())  # mkstemp makes private files
            Path(scratch).replace(path)
        except BaseException:
            Path(scratch).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(
            f"the file can't be written: {error.strerror or error}.",
            where=str(path),
            hint="Choose another place, or make room on the disk.",
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
