"""A hash of the file that word vectors are read from."""

from __future__ import annotations

import os
from functools import cache
from hashlib import file_digest
from pathlib import Path

from disco2.vectors.source import SHIPPED, WORD2VEC


def vectors_digest(source: str) -> str:
    """The SHA-256 of a file; nothing where the source is no file, or it can't be read: training says so.

    A file is read once, and again when it has another size or time.
    """
    if source in (SHIPPED, WORD2VEC):
        return ""
    path = Path(os.path.expanduser(source))  # noqa: PTH111  as ``load_vectors`` has it
    try:
        found = path.stat()
        return _digest(path.resolve(), found.st_size, found.st_mtime_ns)
    except (OSError, ValueError):
        return ""


@cache
def _digest(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
