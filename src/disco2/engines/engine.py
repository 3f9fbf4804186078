"""Run many tasks with one piece of work on several processes, any of which may die.

    with LocalEngine(2).session(work, attempts=3, notice=print) as session:
        for outcome in outcomes_of(session, (Task(name, given) for name, given in ...)):
            ...

The work is a callable object that is given the input of a task. It is pickled and sent once to every worker
process, so it may be large. It may have two more methods: ``begin()`` is called in every worker process
before its first task, ``end()`` when the worker has no more tasks (but not when it is killed). A worker runs
one task at a time.

| what happens in the worker | what the caller sees |
| --- | --- |
| the work returns | ``Outcome.result`` |
| the worker dies or runs out of memory | ``notice`` is called, then the task is retried |
| the same for the ``attempts``-th time | ``notice`` is called, then ``Outcome.died`` |
| the work or ``begin()`` raises a Disco2Error | that error, raised by ``outcomes_of`` |
| it raises anything else | a RuntimeError with the worker's traceback as a note |

A task may run more than once, so its output must be the same each time and be written atomically. Outcomes
come in any order. At the end of the session its workers stop, and tasks without an outcome are dropped.
Use a session from one thread.
"""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from disco2.errors import Disco2Error, MissingExtraError

POLL_SECONDS = 1.0  # between checks whether workers have joined

Work = Callable[[Any], Any]
Notice = Callable[[str], None]  # called with a message for the user, without a full stop


@dataclass(frozen=True)
class Task:
    """One call of the work. ``given`` is small and can be pickled."""

    key: str
    given: Any


@dataclass(frozen=True)
class Outcome:
    """The end of a task: a result, or how its workers died."""

    task: Task
    result: Any = None
    died: str = ""


class Session(ABC):
    """Workers that run tasks with one piece of work."""

    def __init__(self, *, attempts: int, notice: Notice) -> None:
        self._attempts = attempts
        self._notice = notice
        self._queue: deque[Task] = deque()  # tasks that no worker has yet
        self._deaths: dict[str, Counter[str]] = {}  # by task: how its workers ended
        self._done: list[Outcome] = []

    @property
    @abstractmethod
    def workers(self) -> int:
        """Number of tasks that can run at the same time now; may be 0 for a while."""

    def submit(self, task: Task) -> None:
        """Give a task to a worker now or later."""
        self._queue.append(task)
        self._start_tasks()

    def receive(self) -> list[Outcome]:
        """Wait a moment for workers, and return the outcomes so far."""
        self._wait()
        self._start_tasks()
        done, self._done = self._done, []
        return done

    @abstractmethod
    def _start_tasks(self) -> None:
        """Give tasks of the queue to workers that are free."""

    @abstractmethod
    def _wait(self) -> None:
        """Wait for an event of a worker, at most ``POLL_SECONDS``, and handle it."""

    def _finish(self, task: Task, answer: Outcome | Exception) -> None:
        """Handle what ``Worker.run`` returned."""
        if isinstance(answer, Exception):
            raise answer
        if answer.died:
            self._lose(task, answer.died)
        else:
            self._deaths.pop(task.key, None)
            self._done.append(answer)

    def _lose(self, task: Task, how: str) -> None:
        """Handle the death of a worker that ran this task: retry it, or give up."""
        deaths = self._deaths.setdefault(task.key, Counter())
        deaths[how] += 1
        count = deaths.total()
        give_up = count >= self._attempts
        next_step = "giving up" if give_up else f"retrying it ({count + 1} of {self._attempts})"
        self._notice(f"a worker ended {how} during task {task.key}; {next_step}")
        if give_up:
            ways = (f"{way} ({times} times)" if times > 1 else way for way, times in deaths.items())
            self._done.append(Outcome(task, died=", ".join(ways)))
        else:
            self._queue.append(task)


@dataclass(frozen=True)
class LocalEngine:
    """This number of processes on this machine. One that dies is replaced."""

    workers: int

    @contextmanager
    def session(
        self, work: Work, *, attempts: int = 3, notice: Notice = lambda text: None
    ) -> Iterator[Session]:
        """Start workers as there are tasks."""
        from disco2.engines.local import LocalSession

        session = LocalSession(work, self.workers, attempts=attempts, notice=notice)
        try:
            yield session
        except BaseException:
            session.close(at_once=True)
            raise
        session.close()


@dataclass(frozen=True)
class DaskEngine:
    """The workers of a scheduler; without its address, new ones on this machine."""

    workers: int
    scheduler: str = ""

    @staticmethod
    def check_installed() -> None:
        """Raise MissingExtraError if Dask is not installed."""
        if find_spec("distributed") is None:
            raise MissingExtraError("distributed", "cluster", "The engine dask")

    @contextmanager
    def session(
        self, work: Work, *, attempts: int = 3, notice: Notice = lambda text: None
    ) -> Iterator[Session]:
        """Send the work to the workers."""
        self.check_installed()
        from disco2.engines.dask import DaskSession, connect

        with connect(self.scheduler, self.workers) as client:
            session = DaskSession(client, work, attempts=attempts, notice=notice)
            try:
                yield session
            finally:
                session.close()


Engine = LocalEngine | DaskEngine


def outcomes_of(session: Session, tasks: Iterable[Task], *, ahead: int = 2) -> Iterator[Outcome]:
    """Submit tasks lazily, at most ``ahead`` for each worker, and yield their outcomes."""
    remaining = iter(tasks)
    waiting, more = 0, True
    while waiting or more:
        while more and waiting < max(1, session.workers) * ahead:
            task = next(remaining, None)
            if task is None:
                more = False
            else:
                session.submit(task)
                waiting += 1
        if waiting:
            for outcome in session.receive():
                waiting -= 1
                yield outcome


class Worker:
    """The worker's side: calls the work for one task after the other."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._begun = False

    def run(self, task: Task) -> Outcome | Exception:
        """Call ``begin`` before the first task, then the work; an exception ends the session."""
        try:
            if not self._begun:
                getattr(self._work, "begin", lambda: None)()
                self._begun = True
            return Outcome(task, self._work(task.given))
        except Disco2Error as error:
            return error
        except MemoryError:
            return Outcome(task, died="out of memory")
        except Exception as error:  # it may not be picklable
            bug = RuntimeError(f"{type(error).__name__}: {error}")
            bug.add_note(f"In the worker:\n{traceback.format_exc().rstrip()}")
            return bug

    def end(self) -> None:
        """Call ``end``. All tasks are done, so its exceptions don't matter."""
        if self._begun:
            with suppress(Exception):
                getattr(self._work, "end", lambda: None)()
