"""Where the cache lies, as the operating system has it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from disco2.errors import InputError

FORMAT = 1  # of the file and of what is in it; part of its name, so that versions live side by side
EVERY_FILE = "layers-*.sqlite3*"  # of any format, and those that SQLite may have made beside them
VARIABLE = "DISCO2_CACHE"


def cache_folder() -> Path:
    """The folder in the environment variable DISCO2_CACHE, else the user's own for caches.

    That is ~/Library/Caches/disco2 on macOS, %LOCALAPPDATA%\\disco2\\Cache on Windows, and elsewhere
    $XDG_CACHE_HOME/disco2 or ~/.cache/disco2. InputError where there is no home folder.
    """
    try:
        if told := os.environ.get(VARIABLE):
            return Path(told).expanduser().absolute()
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA")
            return (Path(local) if local else Path.home() / "AppData" / "Local") / "disco2" / "Cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "disco2"
        told = os.environ.get("XDG_CACHE_HOME", "")  # to be passed over where it is no absolute path
        return (Path(told) if Path(told).is_absolute() else Path.home() / ".cache") / "disco2"
    except RuntimeError:
        raise InputError(
            "There is no home folder to keep a cache in.", hint=f"Name a folder in {VARIABLE}."
        ) from None


def cache_file() -> Path:
    """The file that holds annotated documents."""
    return cache_folder() / f"layers-{FORMAT}.sqlite3"
