"""A file of JSON lines that survives an interruption: what is done is kept, and the next run goes on.

Lines are appended to OUTPUT.part, each batch on the disk before the next begins; OUTPUT.part.json says which
run they belong to. When all are there, the part takes OUTPUT's place. Killed at any moment, a run leaves at
worst half a line at the end of the part, which the next run cuts off.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType

from disco2.errors import InputError
from disco2.files import behind_link, write_text

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


def places(output: Path) -> tuple[Path, Path, Path]:
    """Every file that a run writes: the output, its part, and the part's description."""
    if not output.name:
        raise InputError("The output has no name.", where=str(output), hint="Give the name of a file.")
    output = behind_link(output)
    return output, output.with_name(output.name + ".part"), output.with_name(output.name + ".part.json")


class ResumableLines:
    """The growing output of one run; a context manager that leaves the part behind unless it was finished.

    ``run`` describes everything the lines depend on: a part that was written under another description is
    refused, unless ``restart`` says to drop it.
    """

    def __init__(self, output: Path, run: Mapping[str, str], *, restart: bool = False) -> None:
        self.output, self.part, self.description = places(output)
        self._run = dict(run)
        self._restart = restart
        self._stream: FileIO | None = None

    def __enter__(self) -> ResumableLines:
        if self.output.exists() and not self.output.is_file():
            raise InputError("The output is there and is no file.", where=str(self.output))
        try:
            self.output.parent.mkdir(parents=True, exist_ok=True)
            if not self._restart and self.part.exists() and self.part.stat().st_size:
                self._check_description()
                self._open("r+b")
            else:
                self._open("ab")  # not yet emptied: another run may hold it
                self._file.truncate(0)
                write_text(self.description, [json.dumps(self._run, indent=1) + "\n"])
        except OSError as error:
            raise self._refused(error) from error
        return self

    def keep(self, numbers: Iterable[int], *, batch_size: int = 1) -> int:
        """Keep the batches that are done and cut off the rest; how many lines are kept.

        ``numbers`` are the values of "line" that the records must have, in order. Only whole batches stay:
        last digits depend on who is scored together, and a run that goes on is to end as one without a stop.
        """
        read = kept = place = end = 0
        with self.part.open("rb") as stream:
            for number in numbers:
                line = stream.readline()
                if not line.endswith(b"\n") or _line_number(line) != number:
                    break
                read, place = read + 1, place + len(line)
                if read % batch_size == 0:
                    kept, end = read, place
        self._file.truncate(end)
        self._file.seek(end)
        return kept

    def append(self, lines: Iterable[str]) -> None:
        """Write lines, and come back when they are on the disk."""
        data = memoryview("".join(f"{line}\n" for line in lines).encode("utf-8"))
        try:
            while data:
                data = data[self._file.write(data) or 0 :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._refused(error) from error

    def finish(self) -> None:
        """All lines are there: the part becomes the output."""
        try:
            if fcntl is None:
                self._file.close()  # Windows moves no file that is open
            self.part.replace(self.output)  # before the lock is given up: another run may wait for it
            self._file.close()
            self.description.unlink(missing_ok=True)
        except OSError as error:
            raise self._refused(error) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._stream is not None:
            self._stream.close()

    @property
    def _file(self) -> FileIO:
        assert self._stream is not None, "entered before use"  # noqa: S101
        return self._stream

    def _open(self, mode: str) -> None:
        # Unbuffered: after a failed write nothing is left in memory that closing would try to write again.
        self._stream = FileIO(self.part, mode)
        if fcntl is not None:
            try:
                fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise self._taken() from None
        # Between opening and locking, the other run may have finished: what is open is then its output.
        if not self.part.exists() or not os.path.samestat(os.fstat(self._stream.fileno()), self.part.stat()):
            raise self._taken()

    def _taken(self) -> InputError:
        if self._stream is not None:
            self._stream.close()
        return InputError(
            "Another run is writing this output.",
            where=str(self.part),
            hint="Wait for it, or choose another --output.",
        )

    def _check_description(self) -> None:
        try:
            found = json.loads(self.description.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise self._foreign("nobody knows which run it belongs to")
        for name, value in self._run.items():
            if found.get(name) != value:
                raise self._foreign(f"it was begun with another {name}")

    def _foreign(self, why: str) -> InputError:
        return InputError(
            f"An unfinished output is there, and {why}.",
            where=str(self.part),
            hint="Delete it, or add --restart to begin anew.",
        )

    def _refused(self, error: OSError) -> InputError:
        full = error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", None))
        return InputError(
            "The disk is full." if full else f"It can't be written: {error.strerror or error}.",
            where=str(self.part),
            hint="What is done is kept. Make room, then give the same command again to go on."
            if full
            else "Choose another place.",
        )


def _line_number(line: bytes) -> int | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    number = record.get("line") if isinstance(record, dict) else None
    return number if isinstance(number, int) else None
