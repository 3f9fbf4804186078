"""A process of this machine that does tasks one after the other: its two sides."""

from __future__ import annotations

import os
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from disco2.engines.answer import Answer, answer_of, beginning_of, end_of
from disco2.engines.engine import Task, Work
from disco2.engines.processes import begin_as_worker, how_it_ended, process_context

LEAVE = 5.0  # seconds in which a worker that is dismissed may end by itself


class LocalWorker:
    """The driver's side: a process, what it is on, and what it has said."""

    def __init__(self, work: Work) -> None:
        context = process_context()
        self._connection, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(  # type: ignore[attr-defined]  # every context has it
            target=_work, args=(work, theirs, os.getpid()), daemon=True
        )
        self._process.start()
        theirs.close()
        self.begun = False
        self.task: Task | None = None

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    @property
    def how_it_ended(self) -> str:
        self._process.join()
        return how_it_ended(self._process.exitcode)

    def give(self, task: Task) -> None:
        """Have a task done by a worker that has none."""
        self.task = task
        with suppress(OSError):  # it is dead, as will be seen
            self._connection.send((task.given,))

    def heard(self) -> Answer | None:
        """The answer to its task, if it has come. What ``begin`` raised is raised."""
        answer = self._said()
        if answer is None or self.begun:
            return answer
        self.begun = not answer.or_mistake().died
        return self._said()

    def _said(self) -> Answer | None:
        try:
            return self._connection.recv() if self._connection.poll() else None
        except (EOFError, OSError):  # it died, perhaps in the middle of a word
            return None

    def dismiss(self) -> None:
        """Let it end; it is on no task."""
        with suppress(OSError):
            self._connection.send(None)

    def kill(self) -> None:
        self._process.kill()

    def bury(self) -> None:
        """Wait for its end, and make sure of it."""
        self._process.join(LEAVE)
        self._process.kill()
        self._process.join()
        self._connection.close()


def wait_for_any(workers: list[LocalWorker], seconds: float | None) -> None:
    """Until one of them says something or dies."""
    wait(
        [source for worker in workers for source in (worker._connection, worker._process.sentinel)],
        timeout=seconds,
    )


def _work(work: Work, connection: Connection, parent: int) -> None:
    """The worker's side: a task for each word that it gets, until there is no one to give it."""
    begin_as_worker(parent)
    with suppress(EOFError, OSError):  # the driver is gone
        beginning = beginning_of(work)
        connection.send(beginning)
        if beginning.died:
            os._exit(1)
        while (said := connection.recv()) is not None:
            connection.send(answer_of(work, *said))
        end_of(work)
