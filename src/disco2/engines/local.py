"""The engine that needs nothing but this machine: processes that are watched and replaced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from disco2.engines.deaths import Deaths
from disco2.engines.engine import Died, Notice, Work
from disco2.engines.local_worker import LocalWorker, wait_for_any
from disco2.engines.queued_session import QueuedSession


@dataclass(frozen=True)
class LocalEngine:
    """So many processes. One that dies is replaced at once, and its task is given out again."""

    workers: int

    @contextmanager
    def session(
        self,
        work: Work,
        *,
        attempts: int = 3,
        notice: Notice = lambda text: None,
        died: Died = lambda task, how: None,
    ) -> Iterator[LocalSession]:
        session = LocalSession(
            work, self.workers, Deaths(attempts=attempts, notice=notice, died=died), notice
        )
        try:
            yield session
        except BaseException:
            session.stop()
            raise
        session.dismiss()


class LocalSession(QueuedSession):
    """Processes that are started as there are tasks for them."""

    def __init__(self, work: Work, workers: int, deaths: Deaths, notice: Notice) -> None:
        super().__init__(deaths, notice)
        self._work = work
        self._workers = workers
        self._crew: list[LocalWorker] = []

    @property
    def workers(self) -> int:
        return self._workers

    def stop(self) -> None:
        """End all workers at once, whatever they are on."""
        for worker in self._crew:
            worker.kill()
        self._bury_all()

    def dismiss(self) -> None:
        """End workers that are on a task at once; the others may end by themselves."""
        for worker in self._crew:
            if worker.task is None:
                worker.dismiss()
            else:
                worker.kill()
        self._bury_all()

    def _bury_all(self) -> None:
        for worker in self._crew:
            worker.bury()
        self._crew.clear()

    def _wait(self, seconds: float | None) -> None:
        wait_for_any(self._crew, seconds)

    def _go_on(self) -> None:
        for worker in list(self._crew):
            alive = worker.alive  # asked first: what it said before is then all there is
            self._hear(worker)
            if not alive:
                self._replace(worker)
        idle = [worker for worker in self._crew if worker.task is None]
        while self._queue and (idle or len(self._crew) < self._workers):
            (idle.pop() if idle else self._start()).give(self._queue.popleft())

    def _start(self) -> LocalWorker:
        worker = LocalWorker(self._work)
        self._crew.append(worker)
        return worker

    def _hear(self, worker: LocalWorker) -> None:
        task, answer = worker.task, worker.heard()
        if worker.begun:
            self._unready = 0
        if task is not None and answer is not None:
            worker.task = None
            self._take(task, answer)

    def _replace(self, worker: LocalWorker) -> None:
        """Take leave of a dead worker; the one that comes in its place starts with the next task."""
        self._crew.remove(worker)
        how = worker.how_it_ended
        worker.bury()
        if worker.task is None:
            self._notice(f"a worker ended {how} while it had no task")
        elif worker.begun:
            self._lose(worker.task, how)
        else:
            self._queue.appendleft(worker.task)
            self._begin_again(how)
