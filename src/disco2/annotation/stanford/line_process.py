"""A program that stays alive and answers each line on its input with one line on its output."""

from __future__ import annotations

import subprocess
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

_LAST_WORDS = 12  # lines of its error output that are kept
_GRACE = 5.0  # seconds to end in, once its input is closed


class ProcessFailedError(Exception):
    """The program ended, or did not answer in time; the message says which."""


class LineProcess:
    """One run of the program, from its start until ``close``."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the caller's own command, without a shell
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise ProcessFailedError(f"it can't be started: {error.strerror or error}") from error
        self._answers: SimpleQueue[str | None] = SimpleQueue()
        self._errors: deque[str] = deque(maxlen=_LAST_WORDS)
        # Both outputs are read all the time: a full pipe would stop the program.
        self._readers = [
            Thread(target=self._read_answers, args=(self._process.stdout,), daemon=True),
            Thread(target=self._read_errors, args=(self._process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def ask(self, line: str, *, timeout: float) -> str:
        """Send a line and wait for the answer, at most ``timeout`` seconds."""
        assert self._process.stdin is not None  # noqa: S101  # it was asked for above
        try:
            self._process.stdin.write(line.encode("utf-8", errors="replace") + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise ProcessFailedError(self._how_it_ended()) from None
        try:
            answer = self._answers.get(timeout=timeout)
        except Empty:
            raise ProcessFailedError(f"it did not answer within {timeout:g} seconds") from None
        if answer is None:
            raise ProcessFailedError(self._how_it_ended())
        return answer

    def close(self) -> None:
        """End the program: by closing its input, and by force where it does not listen."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for reader in self._readers:
            reader.join(_GRACE)

    def kill(self) -> None:
        """End the program at once."""
        self._process.kill()
        self.close()

    def _how_it_ended(self) -> str:
        for reader in self._readers:
            reader.join(_GRACE)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        last = " | ".join(self._errors) or "nothing"
        return f"it ended with code {self._process.returncode}, and its last words were: {last}"

    def _read_answers(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._answers.put(line.decode("utf-8", errors="replace").rstrip("\r\n"))
        self._answers.put(None)

    def _read_errors(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._errors.append(line.decode("utf-8", errors="replace").strip()[:300])
