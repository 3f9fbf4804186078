"""Files that are either whole or not there: written beside their place, then renamed into it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from disco2.errors import InputError


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Writes UTF-8 text as it stands, line ends and all; folders are made as needed.

    Raises InputError where the place can't be written; a file that was there before stays as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise _not_writable(path, error) from None
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        beside.chmod(0o644)
        beside.replace(path)
    except OSError as error:
        raise _not_writable(path, error) from None
    finally:
        beside.unlink(missing_ok=True)


def is_file_name(name: str) -> bool:
    """Names of documents may come from anywhere; only plain ones may become the name of a file."""
    fits = 0 < len(name.encode(errors="replace")) < 200
    return fits and name not in (".", "..") and not any(character in name for character in "/\\:\0")


def _not_writable(path: Path, error: OSError) -> InputError:
    reason = error.strerror or str(error)
    return InputError(
        f"The file can't be written ({reason}).", where=str(path), hint="Choose another folder."
    )
