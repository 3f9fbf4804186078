"""Requests that wait are taken together; long ones wait apart, and are done beside the short ones."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from disco2.interfaces.server.jobs import Answer, Job
from disco2.interfaces.server.refusal import unavailable

MOST_JOBS, MOST_CHARACTERS = 32, 20_000  # in a batch of more than one
LONG_SHARE = 8  # one long text may wait for so many places of the queue

Work = Callable[[Sequence[Job]], None]


class _Lane:
    """Jobs wait here; ``work`` gets those that are taken together, in a thread of the lane's own."""

    def __init__(self, work: Work, *, most_waiting: int, full: str) -> None:
        self._work = work
        self._most = most_waiting
        self._full = full
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._thread: threading.Thread | None = None

    def __len__(self) -> int:
        return len(self._jobs)

    def submit(self, job: Job) -> Future[Answer]:
        with self._changed:
            if self._closing:
                raise unavailable("The server is shutting down.")
            if len(self) >= self._most:
                self._jobs = deque(one for one in self._jobs if one.is_waited_for())
            if len(self) >= self._most:
                raise unavailable(self._full)
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="disco2 worker", daemon=True)
                self._thread.start()
            self._changed.notify()
        return job.future

    def refuse(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify()

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._jobs or self._closing)
                if not self._jobs:
                    return
                jobs = self._take()
            self._work(jobs)

    def _take(self) -> list[Job]:
        """Those that are next and still waited for."""
        taken: list[Job] = []
        characters = 0
        while self._jobs and len(taken) < MOST_JOBS:
            job = self._jobs[0]
            if job.is_waited_for():
                characters += job.characters
                if taken and characters > MOST_CHARACTERS:
                    break
                taken.append(job)
            self._jobs.popleft()
        return taken


class BatchQueue:
    """First come, first served, among the short requests and among the long ones.

    Each kind has one thread. More would not be quicker, for the work is Python's; but a long text can't be
    interrupted, and with a thread of its own it takes half of the time from the short ones, not all of it.
    """

    def __init__(self, make_work: Callable[[], Work], *, most_waiting: int) -> None:
        """``make_work`` is called for each thread: what it makes resolves the futures of the jobs it gets."""
        self._short = _Lane(make_work(), most_waiting=most_waiting, full="Too many requests are waiting.")
        self._long = _Lane(
            make_work(),
            most_waiting=max(1, most_waiting // LONG_SHARE),
            full="Too many long texts are waiting.",
        )

    def __len__(self) -> int:
        """How many wait; those at work are not among them."""
        return len(self._short) + len(self._long)

    def submit(self, job: Job) -> Future[Answer]:
        """Take the job in, or refuse it where too many wait or the end is near."""
        return (self._long if job.is_long else self._short).submit(job)

    def close(self) -> None:
        """Refuse new jobs, and wait until all that were taken in are done."""
        lanes = (self._short, self._long)
        for lane in lanes:
            lane.refuse()
        for lane in lanes:
            lane.join()
