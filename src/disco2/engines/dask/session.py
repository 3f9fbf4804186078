"""A session on Dask: it outlives workers and, for a while, the scheduler."""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from distributed import KilledWorker
from tornado.ioloop import IOLoop

from disco2.engines.dask.cluster import OwnWorkers
from disco2.engines.dask.connection import DaskConnection, NoSchedulerError, pickled
from disco2.engines.dask.messages import Answered, Began, Failed, Joined, Left, Lost, Message, Present
from disco2.engines.dask.worker import NotHandedOverError
from disco2.engines.deaths import Deaths
from disco2.engines.engine import Notice, Task, Work
from disco2.engines.queued_session import QueuedSession
from disco2.errors import InputError

ANSWERS_WITHIN = 10.0  # seconds, for a scheduler that is asked for the first time
TRY_EVERY = 0.5  # seconds
ALONE_FOR = 5.0  # seconds without any worker, after which the user is told
IDLE_FOR = 30.0  # seconds without a beginning, after which a task may go to another worker


@dataclass
class _Sent:
    """A task that a worker has: this one and no other, so that Dask does not give it out again by itself."""

    task: Task
    worker: str
    future: Any
    since: float
    begun: bool = False


class DaskSession(QueuedSession):
    """Every worker has one task; what is more waits here, so that a death is the fault of one task alone."""

    def __init__(
        self,
        address: str,
        work: Work,
        deaths: Deaths,
        notice: Notice,
        *,
        loop: IOLoop,
        patience: float,
        own: OwnWorkers | None = None,
    ) -> None:
        super().__init__(deaths, notice)
        self._address = address
        self._loop = loop
        self._own = own
        self._work = pickled(work)
        self._patience = patience
        self._heard: SimpleQueue[Message] = SimpleQueue()
        self._sent: dict[str, _Sent] = {}
        self._number = 0
        self._present: set[str] = set()
        self._ready: set[str] = set()  # workers that have begun a task before
        self._idle: set[str] = set()  # workers that had a task for long and did not begin it
        self._alone_since: float | None = None
        try:
            self._connection = self._connect(ANSWERS_WITHIN)
        except NoSchedulerError as error:
            raise InputError(
                "No Dask scheduler answers.",
                where=address,
                hint="Start one with: dask scheduler; and workers with: dask worker ADDRESS --nthreads 1",
            ) from error

    @property
    def workers(self) -> int:
        return len(self._present)

    def close(self, *, quickly: bool = False) -> None:
        """Drop what has no outcome. Unless it is to be quick, workers may end the work themselves."""
        for sent in self._sent.values():
            self._connection.forget(sent.future)
        self._connection.close(quickly=quickly)

    def _connect(self, seconds: float) -> DaskConnection:
        self._heard = SimpleQueue()
        return DaskConnection(self._address, self._work, self._heard, loop=self._loop, seconds=seconds)

    def _wait(self, seconds: float | None) -> None:
        with suppress(Empty):
            self._take_in(self._heard.get(timeout=seconds))

    def _go_on(self) -> None:
        while not self._heard.empty():
            self._take_in(self._heard.get())
        free = self._present - {sent.worker for sent in self._sent.values()}
        if free - self._idle and not self._queue:
            self._take_from_idle()
        for worker in sorted(free, key=lambda worker: (worker in self._idle, worker)):
            if self._queue:
                self._send(self._queue.popleft(), worker)

    def _send(self, task: Task, worker: str) -> None:
        self._number += 1
        key = f"disco2-{self._connection.identity}-{self._number}"
        given = pickled(task.given)
        try:
            future = self._connection.send(key, given, worker=worker)
        except Exception:  # the connection is closed
            self._queue.appendleft(task)
            self._heard.put(Lost())
        else:
            self._sent[key] = _Sent(task, worker, future, time.monotonic())

    def _take_from_idle(self) -> None:
        """A worker may be paused for want of memory, or busy for someone else, while others have no task."""
        for key, sent in list(self._sent.items()):
            if not sent.begun and time.monotonic() - sent.since > IDLE_FOR:
                self._idle.add(sent.worker)
                self._notice(f"the worker at {sent.worker} does not begin its task; another one gets it")
                self._queue.append(self._take_back(key).task)

    def _take_back(self, key: str) -> _Sent:
        sent = self._sent.pop(key)
        self._connection.forget(sent.future)
        return sent

    def _take_in(self, message: Message) -> None:
        match message:
            case Present(workers):
                self._present = set(workers)
                self._look_after_workers()
            case Joined(worker):
                self._present.add(worker)
                if self._own is not None:
                    self._own.check(reached=True)
            case Left(worker, died):
                self._part_with(worker, died=died)
            case Began(key, worker):
                self._unready = 0
                self._ready.add(worker)
                self._idle.discard(worker)
                if key in self._sent:
                    self._sent[key].begun = True
            case Answered(key, answer):
                if key in self._sent:
                    self._take(self._take_back(key).task, answer)
            case Failed(key, reason):
                if key in self._sent:
                    self._fail(key, reason)
            case Lost():
                self._come_back()

    def _part_with(self, worker: str, *, died: bool) -> None:
        """Give the task of a worker that is gone to another one. Whether it had begun it is known."""
        for places in (self._present, self._ready, self._idle):
            places.discard(worker)
        for key in [key for key, sent in self._sent.items() if sent.worker == worker]:
            sent = self._take_back(key)
            if died and sent.begun:
                self._lose(sent.task, f"at {worker}")
                continue
            self._queue.appendleft(sent.task)
            if died and not self._ready:
                self._begin_again(f"at {worker}")

    def _fail(self, key: str, reason: BaseException) -> None:
        """Dask gave up on a task, or is itself gone."""
        if isinstance(reason, KilledWorker):  # of whose death we have not heard yet
            self._part_with(self._sent[key].worker, died=True)
        elif isinstance(reason, (CancelledError, OSError, TimeoutError, NotHandedOverError)):
            self._come_back()
        else:
            raise reason

    def _look_after_workers(self) -> None:
        if self._own is not None:
            self._own.check(reached=bool(self._present))
            return  # they are on their way
        now = time.monotonic()
        if self._present or not self._waiting:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        elif now - self._alone_since > ALONE_FOR:
            self._alone_since = float("inf")  # told once
            self._notice(f"the scheduler at {self._address} has no workers; waiting for them")

    def _come_back(self) -> None:
        """Look for the scheduler, or one that was started in its place, and give everything to that."""
        self._notice(
            f"the scheduler at {self._address} is gone; trying to reach it for {self._patience:.0f} seconds"
        )
        self._connection.close(quickly=True)
        self._queue.extendleft(sent.task for sent in reversed(self._sent.values()))
        self._sent.clear()
        self._present.clear()
        self._ready.clear()
        self._idle.clear()
        until = time.monotonic() + self._patience
        while True:
            try:
                self._connection = self._connect(min(ANSWERS_WITHIN, self._patience))
                break
            except NoSchedulerError as error:
                if time.monotonic() > until:
                    raise InputError(
                        f"The Dask scheduler is gone, and did not come back in {self._patience:.0f} seconds.",
                        where=self._address,
                        hint="Start it again, then give the same command: what is done is kept.",
                    ) from error
                time.sleep(TRY_EVERY)
        self._notice(f"the scheduler at {self._address} is back")
