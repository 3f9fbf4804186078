"""A file lock, so that two processes don't write the same output."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from io import FileIO
from pathlib import Path

from disco2.errors import InputError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

_UNKNOWN_HERE = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)  # some network disks have no locks
ATTEMPTS = 100  # to lock a file that other processes remove


class FileLock:
    """A lock on a file, which exists while the lock is held; the lock of a killed process is free.

    Without support of the system (Windows, some network disks) it is always free.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream: FileIO | None = None

    def take(self) -> bool:
        """Try to take the lock; True if this process has it now. Creates missing folders."""
        if fcntl is None:
            return True
        try:
            for _ in range(ATTEMPTS):
                if (stream := self._opened()) is None:
                    continue
                if not _locked(stream):
                    stream.close()
                    return False
                if _is_at(stream, self.path):
                    self._stream = stream
                    return True
                stream.close()  # its holder removed the file between opening and locking
            return False
        except OSError as error:
            raise InputError(
                f"It can't be written: {error.strerror or error}.",
                where=str(self.path),
                hint="Choose another place, or make room on the disk.",
            ) from error

    def give_up(self) -> None:
        """Release the lock; remove its file, and the folder if it is empty."""
        if self._stream is not None:
            with suppress(OSError):
                self.path.unlink()  # before the release, after which the file may be another's
                self.path.parent.rmdir()
            self._stream.close()
            self._stream = None

    def _opened(self) -> FileIO | None:
        """None if the folder was removed at that moment."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            return FileIO(self.path, "ab")
        return None


def _locked(stream: FileIO) -> bool:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNKNOWN_HERE:
            raise
    return True


def _is_at(stream: FileIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except FileNotFoundError:
        return False
