"""Requests that wait are taken together, first come first served, by one thread."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from disco2.interfaces.server.jobs import Answer, Job
from disco2.interfaces.server.refusal import unavailable

MOST_JOBS, MOST_CHARACTERS = 32, 20_000  # in a batch of more than one


class BatchQueue:
    """Jobs wait here; ``work`` gets those that are taken together, and resolves their futures.

    One thread, because the work is Python's and a second one would only make both slower. A long text is
    taken alone, so short ones behind it wait for it and for nothing else.
    """

    def __init__(self, work: Callable[[Sequence[Job]], None], *, most_waiting: int) -> None:
        self._work = work
        self._most_waiting = most_waiting
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._thread: threading.Thread | None = None

    def __len__(self) -> int:
        """How many wait; those at work are not among them."""
        return len(self._waiting)

    def submit(self, job: Job) -> Future[Answer]:
        """Take the job in, or refuse it where too many wait or the end is near."""
        with self._changed:
            if self._closing:
                raise unavailable("The server is shutting down.")
            if len(self._waiting) >= self._most_waiting:
                self._waiting = deque(one for one in self._waiting if one.is_waited_for())
            if len(self._waiting) >= self._most_waiting:
                raise unavailable("Too many requests are waiting.")
            self._waiting.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="disco2 worker", daemon=True)
                self._thread.start()
            self._changed.notify()
        return job.future

    def close(self) -> None:
        """Refuse new jobs, and wait until all that were taken in are done."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while jobs := self._take():
            self._work(jobs)

    def _take(self) -> list[Job]:
        """The next batch; empty at the end."""
        with self._changed:
            while True:
                while not self._waiting and not self._closing:
                    self._changed.wait()
                taken: list[Job] = []
                characters = 0
                while self._waiting and len(taken) < MOST_JOBS:
                    job = self._waiting[0]
                    if job.is_waited_for():
                        characters += job.characters
                        if taken and characters > MOST_CHARACTERS:
                            break
                        taken.append(job)
                    self._waiting.popleft()
                if taken or self._closing:
                    return taken
