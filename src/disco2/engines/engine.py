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
| the work raises a Disco2Error | ``Outcome.error``; no retry |
| the worker dies or runs out of memory | ``notice`` and ``died`` are called, then the task is retried |
| the same for the ``attempts``-th time | ``notice`` and ``died`` are called, then ``Outcome.died`` |
| the work raises anything else | that exception, from ``submit`` or ``outcomes`` |
| ``begin()`` raises an exception | that exception, from ``submit`` or ``outcomes`` |

A task may run more than once, so its output must be the same each time and be written atomically. Each task
has one outcome; outcomes come in any order. At the end of the session its workers stop, and tasks without an
outcome are dropped. Use a session from one thread.
"""

from __future__ import annotations

import time
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol

from disco2.errors import Disco2Error, MissingExtraError

POLL_SECONDS = 1.0  # between checks whether workers have joined

Work = Callable[[Any], Any]
Notice = Callable[[str], None]  # called with a message for the user, without a full stop


@dataclass(frozen=True)
class Task:
    """One call of the work. Keys of tasks that wait are unique; ``given`` is small and can be pickled."""

    key: str
    given: Any


Died = Callable[[Task, str], None]  # called with a task and how its worker ended


@dataclass(frozen=True)
class Outcome:
    """The end of a task: a result, an error of the work, or how its workers died."""

    task: Task
    result: Any = None
    error: Disco2Error | None = None
    died: str = ""


class Session(ABC):
    """Tasks that workers run with one piece of work, and their outcomes."""

    def __init__(self, *, attempts: int, notice: Notice, died: Died) -> None:
        self._attempts = attempts
        self._notice = notice
        self._died = died
        self._waiting: dict[str, Task] = {}
        self._deaths: dict[str, list[str]] = {}  # of tasks that wait: how their workers ended
        self._done: list[Outcome] = []

    @property
    @abstractmethod
    def workers(self) -> int:
        """Number of tasks that can run at the same time now; may be 0 for a while."""

    @property
    def waiting(self) -> int:
        """Number of submitted tasks whose outcome was not returned yet."""
        return len(self._waiting)

    def submit(self, task: Task) -> None:
        """Queue a task; returns at once."""
        if task.key in self._waiting:
            raise ValueError(f"task {task.key} is already submitted")
        self._waiting[task.key] = task
        self._send(task)

    def outcomes(self, seconds: float | None = None) -> list[Outcome]:
        """Wait for at least one outcome; empty after ``seconds``, or if no task waits."""
        until = None if seconds is None else time.monotonic() + seconds
        while not self._done and self._waiting:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                break
            self._receive(left)
        done, self._done = self._done, []
        for outcome in done:
            del self._waiting[outcome.task.key]
        return done

    @abstractmethod
    def _send(self, task: Task) -> None:
        """Give a task to a worker now or later."""

    @abstractmethod
    def _receive(self, seconds: float | None) -> None:
        """Wait for an event of a worker, at most this long, and handle it."""

    def _finish(self, task: Task, answer: Answer) -> None:
        """Handle a worker's answer. An exception that is no Disco2Error of the task is raised."""
        if answer.exception is not None:
            raise answer.exception
        if answer.died:
            self._lose(task, answer.died)
        else:
            self._deaths.pop(task.key, None)
            self._done.append(Outcome(task, answer.result, answer.error))

    def _lose(self, task: Task, how: str) -> None:
        """Handle the death of a worker that ran this task: retry it, or give up."""
        deaths = self._deaths.setdefault(task.key, [])
        deaths.append(how)
        give_up = len(deaths) >= self._attempts
        next_step = "giving up" if give_up else f"retrying it ({len(deaths) + 1} of {self._attempts})"
        self._notice(f"a worker ended {how} during task {task.key}; {next_step}")
        self._died(task, how)
        if not give_up:
            self._send(task)
            return
        del self._deaths[task.key]
        counts = {how: deaths.count(how) for how in deaths}
        summary = ", ".join(how if count == 1 else f"{how} ({count} times)" for how, count in counts.items())
        self._done.append(Outcome(task, died=summary))


class Engine(Protocol):
    """A way to start or find workers."""

    def session(
        self,
        work: Work,
        *,
        attempts: int = 3,
        notice: Notice = lambda text: None,
        died: Died = lambda task, how: None,
    ) -> AbstractContextManager[Session]:
        """Send the work to the workers.

        ``died`` is called in the caller's process when a worker died, before its task is retried. On a
        cluster with a scheduler of its own, that scheduler may have retried it a few times before.
        """


@dataclass(frozen=True)
class LocalEngine:
    """This number of processes on this machine. One that dies is replaced."""

    workers: int

    @contextmanager
    def session(
        self,
        work: Work,
        *,
        attempts: int = 3,
        notice: Notice = lambda text: None,
        died: Died = lambda task, how: None,
    ) -> Iterator[Session]:
        from disco2.engines.local import LocalSession

        session = LocalSession(work, self.workers, attempts=attempts, notice=notice, died=died)
        try:
            yield session
        except BaseException:
            session.close(at_once=True)
            raise
        session.close()


@dataclass(frozen=True)
class DaskEngine:
    """Dask: the workers of the scheduler at this address, or else this number of workers on this machine."""

    workers: int
    scheduler: str = ""

    @staticmethod
    def check_installed() -> None:
        """Raise MissingExtraError if Dask is not installed."""
        if find_spec("distributed") is None:
            raise MissingExtraError("distributed", "cluster", "The engine dask")

    @contextmanager
    def session(
        self,
        work: Work,
        *,
        attempts: int = 3,
        notice: Notice = lambda text: None,
        died: Died = lambda task, how: None,
    ) -> Iterator[Session]:
        self.check_installed()
        from disco2.engines.dask import DaskSession, connect

        with connect(self.scheduler, self.workers) as client:
            session = DaskSession(client, work, attempts=attempts, notice=notice, died=died)
            try:
                yield session
            finally:
                session.close()


def outcomes_of(session: Session, tasks: Iterable[Task], *, ahead: int = 2) -> Iterator[Outcome]:
    """Submit tasks lazily, at most ``ahead`` for each worker, and yield their outcomes."""
    remaining = iter(tasks)
    ready: deque[Outcome] = deque()
    more = True
    while True:
        while more and session.waiting < max(1, session.workers) * ahead:
            task = next(remaining, None)
            if task is None:
                more = False
            else:
                session.submit(task)
        if not ready:
            if not session.waiting and not more:
                return
            ready.extend(session.outcomes(POLL_SECONDS if more else None))
        if ready:
            yield ready.popleft()


@dataclass(frozen=True)
class Answer:
    """A worker's answer to a task: a result, or one of three kinds of failure."""

    result: Any = None
    error: Disco2Error | None = None
    died: str = ""  # the work was cut short as if its process had died
    exception: Exception | None = None  # of ``begin``, or a bug


class Worker:
    """The worker's side: calls the work for one task after the other."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._begun = False

    def run(self, given: Any) -> Answer:
        """Call ``begin`` before the first task, then the work."""
        if not self._begun:
            answer = _call(getattr(self._work, "begin", lambda: None))
            if answer != Answer():
                return Answer(died=answer.died, exception=answer.exception or answer.error)
            self._begun = True
        return _call(self._work, given)

    def end(self) -> None:
        """Call ``end``. All tasks are done, so its exceptions don't matter."""
        if self._begun:
            with suppress(Exception):
                getattr(self._work, "end", lambda: None)()


def _call(function: Callable[..., Any], *given: Any) -> Answer:
    try:
        answer = Answer(result=function(*given))
        ForkingPickler.dumps(answer)  # a result that can't be pickled must fail here
    except Disco2Error as error:
        answer = Answer(error=error)
    except MemoryError:
        answer = Answer(died="out of memory")
    except SystemExit as exit:
        answer = Answer(died=f"with exit code {exit.code}")
    except Exception as exception:
        answer = Answer(exception=_with_traceback(exception))
    return answer


def _with_traceback(exception: Exception) -> Exception:
    """The exception, or a RuntimeError if it can't be pickled, with its traceback as a note."""
    trace = "".join(traceback.format_exception(exception)).rstrip()
    copy: Any
    try:
        copy = ForkingPickler.loads(ForkingPickler.dumps(exception))
        if type(copy) is not type(exception) or str(copy) != str(exception):
            raise TypeError
    except Exception:
        copy = RuntimeError(f"{type(exception).__name__}: {exception}")
    copy.add_note(f"In the worker:\n{trace}")
    return copy  # type: ignore[no-any-return]  # the result of unpickling has no type
