"""What the cache holds, and how to be rid of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from disco2.annotation.cache.place import EVERY_FILE, cache_file
from disco2.annotation.cache.store import MOST_BYTES, TROUBLES, is_ours
from disco2.errors import InputError


@dataclass(frozen=True, slots=True)
class CacheSummary:
    """What lies in the cache; ``trouble`` where that can't be read."""

    path: Path
    documents: int
    bytes: int
    most_bytes: int = MOST_BYTES
    trouble: str = ""


def cache_summary() -> CacheSummary:
    """What lies in the cache now; nothing is made or changed. InputError where it has no place."""
    path = cache_file()
    try:
        if not path.exists():
            return CacheSummary(path, 0, 0)
        size = path.stat().st_size
    except OSError as error:
        return CacheSummary(path, 0, 0, trouble=str(error))
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=1)) as connection:
            documents = 0
            if is_ours(connection):
                (documents,) = connection.execute("SELECT count(*) FROM layers").fetchone()
    except TROUBLES as error:
        return CacheSummary(path, 0, size, trouble=str(error))
    return CacheSummary(path, documents, size)


def clear_cache() -> CacheSummary:
    """Remove the cache, damaged or not, and what other versions left; what was in it.

    InputError where it can't be removed.
    """
    found = cache_summary()
    try:
        for file in found.path.parent.glob(EVERY_FILE):
            file.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"The cache can't be removed: {error.strerror or error}.",
            where=str(found.path),
            hint="Close the programs that use it, or remove the file by hand.",
        ) from error
    return found
