"""What an engine is: it has workers, gives them one piece of work, and tasks to do with it.

    with engine.session(work, attempts=3, notice=print) as session:
        for outcome in outcomes_of(session, (Task(name, given) for name, given in ...)):
            ...

The work is an object that is called with what a task has given. Every worker process gets it once, however
large it is, so it must be possible to pickle it. Two methods of it are optional: ``begin()`` is called once
in every worker process before its first task, ``end()`` once when a worker has no more to do (not when it is
killed). A worker does one task at a time, on one thread.

What becomes of a task:

| what happens in the worker | what the driver sees |
| --- | --- |
| the work returns | ``Outcome.result`` |
| the work raises a Disco2Error | ``Outcome.error``; it is not tried again |
| the worker dies, or runs out of memory | ``notice`` and ``died`` hear of it, then the task is tried again |
| the same for the ``attempts``-th time | ``notice`` and ``died`` hear of it, then ``Outcome.died`` |
| the work raises anything else | that exception, from ``submit`` or ``outcomes``: the work has a mistake |
| ``begin()`` raises anything | that exception, likewise: no task can be done |

A task may be done more than once, even at the same time where a worker was thought dead and was not, so what
it writes must be the same each time and be renamed into place. Each task has exactly one outcome; outcomes
come in any order. Leaving the session, by whatever way, ends what it started; tasks without an outcome are
dropped. Session and engine are to be used by one thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from disco2.errors import Disco2Error

LOOK_AFTER = 1.0  # seconds after which to see whether there are more workers than before

Work = Callable[[Any], Any]
Notice = Callable[[str], None]  # hears a sentence for the user, without a full stop


@dataclass(frozen=True)
class Task:
    """Something to do. Keys differ among tasks that wait; what is given is small and can be pickled."""

    key: str
    given: Any


Died = Callable[[Task, str], None]  # hears of a task and how the worker ended that was on it


@dataclass(frozen=True)
class Outcome:
    """What became of a task: a result, an error of the work, or how the workers ended that were on it."""

    task: Task
    result: Any = None
    error: Disco2Error | None = None
    died: str = ""


class Session(Protocol):
    """One piece of work, and tasks that are given to it as there is room."""

    @property
    def workers(self) -> int:
        """How many tasks can run side by side at this moment; it may be none for a while."""

    @property
    def waiting(self) -> int:
        """How many tasks were submitted whose outcome was not handed out yet."""

    def submit(self, task: Task) -> None:
        """Have a task done; this does not wait for it."""

    def outcomes(self, seconds: float | None = None) -> list[Outcome]:
        """At least one, as soon as there is one; none after so many seconds, or where none is to come."""


class Engine(Protocol):
    """Where the workers are."""

    def session(
        self,
        work: Work,
        *,
        attempts: int = 3,
        notice: Notice = lambda text: None,
        died: Died = lambda task, how: None,
    ) -> AbstractContextManager[Session]:
        """Hand the work to all workers; they end, or forget it, with the session.

        ``died`` is called in the driver for every death of a worker that was on a task, before that task is
        given out again or given up.
        """


def outcomes_of(session: Session, tasks: Iterable[Task], *, ahead: int = 2) -> Iterator[Outcome]:
    """Outcomes as they come. A task is asked for when there is room for it: ``ahead`` for each worker."""
    coming = iter(tasks)
    ready: deque[Outcome] = deque()
    more = True
    while True:
        while more and session.waiting < max(1, session.workers) * ahead:
            task = next(coming, None)
            if task is None:
                more = False
            else:
                session.submit(task)
        if not ready:
            if not session.waiting and not more:
                return
            ready.extend(session.outcomes(LOOK_AFTER if more else None))
        if ready:
            yield ready.popleft()
