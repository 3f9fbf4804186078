"""A file lock, so that two processes don't write the same output."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack, suppress
from io import FileIO
from pathlib import Path

from disco2.files import report_write_errors

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
        with report_write_errors(self.path):
            for _ in range(ATTEMPTS):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                # FileNotFoundError: its holder removed the file, or the folder, at that moment
                with suppress(FileNotFoundError), ExitStack() as opened:
                    stream = opened.enter_context(FileIO(self.path, "ab"))
                    if not _locked(stream):
                        return False
                    if os.path.samestat(os.fstat(stream.fileno()), self.path.stat()):
                        opened.pop_all()
                        self._stream = stream
                        return True
            return False

    def give_up(self) -> None:
        """Release the lock; remove its file, and the folder if it is empty."""
        if self._stream is not None:
            with suppress(OSError):
                self.path.unlink()  # before the release, after which the file may be another's
                self.path.parent.rmdir()
            self._stream.close()
            self._stream = None


def _locked(stream: FileIO) -> bool:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNKNOWN_HERE:
            raise
    return True
