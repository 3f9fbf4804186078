"""Run many tasks with one piece of work on several processes, any of which may die.

    with LocalEngine(2).session(work, attempts=3, notice=print) as session:
        for outcome in session.run(Task(name, given) for name, given in ...):
            ...

The work is a callable object that is given the input of a task. It is pickled for the worker processes; what
it stores in itself there is kept for its next task in that process. A worker runs one task at a time.

| what happens in the worker | what the caller sees |
| --- | --- |
| the work returns | ``Outcome.result`` |
| the worker dies or runs out of memory | ``notice`` is called, then the task is retried |
| the same for the ``attempts``-th time | ``notice`` is called, then ``Outcome.died`` |
| the work raises a Disco2Error | that error, raised by ``run`` |
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
from contextlib import closing, contextmanager
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
    """The end of a task: a result, or how its last worker died, or the error that ends the session."""

    task: Task
    result: Any = None
    died: str = ""
    error: Exception | None = None


class Session(ABC):
    """Workers that run tasks with one piece of work."""

    def __init__(self, *, attempts: int, notice: Notice) -> None:
        self._attempts = attempts
        self._notice = notice

    @abstractmethod
    def close(self) -> None:
        """Stop the workers and drop their tasks."""

    @abstractmethod
    def _has_free_worker(self) -> bool: ...

    @abstractmethod
    def _start(self, task: Task) -> None:
        """Give a task to a free worker."""

    @abstractmethod
    def _wait(self) -> Iterator[Outcome]:
        """Wait for workers, at most ``POLL_SECONDS``, and yield what ended."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Start tasks as workers are free, retry those whose worker dies, and yield the outcomes."""
        remaining, retries, deaths = iter(tasks), deque[Task](), Counter[str]()
        running, more = 0, True
        while running or retries or more:
            while (retries or more) and self._has_free_worker():
                task = retries.popleft() if retries else next(remaining, None)
                if task is None:
                    more = False
                else:
                    self._start(task)
                    running += 1
            for outcome in self._wait() if running else ():
                running -= 1
                if outcome.error is not None:
                    raise outcome.error
                if outcome.died:
                    deaths[outcome.task.key] += 1
                    count = deaths[outcome.task.key]
                    again = count < self._attempts
                    next_step = f"retrying it ({count + 1} of {self._attempts})" if again else "giving up"
                    self._notice(f"a worker ended {outcome.died} during task {outcome.task.key}; {next_step}")
                    if again:
                        retries.append(outcome.task)
                        continue
                yield outcome


def run_task(work: Work, task: Task) -> Outcome:
    """What a worker does with a task."""
    try:
        return Outcome(task, work(task.given))
    except Disco2Error as error:
        return Outcome(task, error=error)
    except MemoryError:
        return Outcome(task, died="out of memory")
    except Exception as error:  # it may not be picklable
        bug = RuntimeError(f"{type(error).__name__}: {error}")
        bug.add_note(f"In the worker:\n{traceback.format_exc().rstrip()}")
        return Outcome(task, error=bug)


@dataclass(frozen=True)
class LocalEngine:
    """This number of processes on this machine, started as there are tasks. One that dies is replaced."""

    workers: int

    @contextmanager
    def session(
        self, work: Work, *, attempts: int = 3, notice: Notice = lambda text: None
    ) -> Iterator[Session]:
        from disco2.engines.local import LocalSession

        with closing(LocalSession(work, self.workers, attempts=attempts, notice=notice)) as session:
            yield session


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
        self.check_installed()
        from disco2.engines.dask import DaskSession, connect

        with (
            connect(self.scheduler, self.workers) as client,
            closing(DaskSession(client, work, attempts=attempts, notice=notice)) as session,
        ):
            yield session


Engine = LocalEngine | DaskEngine
