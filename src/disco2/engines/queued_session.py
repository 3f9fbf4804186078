"""What sessions of all engines share: tasks that wait for a worker, outcomes that wait to be asked for."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque

from disco2.engines.answer import Answer
from disco2.engines.deaths import Deaths
from disco2.engines.engine import Notice, Outcome, Task
from disco2.errors import InputError

BEGINNINGS = 5  # workers in a row that may end before they were ready for a task


class QueuedSession(ABC):
    """An engine says how tasks get to workers, and how to wait for what they say."""

    def __init__(self, deaths: Deaths, notice: Notice) -> None:
        self._deaths = deaths
        self._notice = notice
        self._queue: deque[Task] = deque()
        self._waiting: set[str] = set()
        self._done: list[Outcome] = []
        self._unready = 0  # how many in a row ended before they were ready

    @abstractmethod
    def _go_on(self) -> None:
        """Hear what workers have said, and give out tasks; without waiting."""

    @abstractmethod
    def _wait(self, seconds: float | None) -> None:
        """Until there is something to hear, or for so long."""

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def submit(self, task: Task) -> None:
        if task.key in self._waiting:
            raise ValueError(f"task {task.key} is submitted already")
        self._waiting.add(task.key)
        self._queue.append(task)
        self._go_on()

    def outcomes(self, seconds: float | None = None) -> list[Outcome]:
        until = None if seconds is None else time.monotonic() + seconds
        self._go_on()
        while not self._done and self._waiting:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                break
            self._wait(left)
            self._go_on()
        done, self._done = self._done, []
        self._waiting -= {outcome.task.key for outcome in done}
        return done

    def _take(self, task: Task, answer: Answer) -> None:
        """Make the outcome of an answer, or give the task out again."""
        if answer.or_mistake().died:
            self._lose(task, answer.died)
        else:
            self._deaths.forget(task)
            self._done.append(Outcome(task, answer.result, answer.error))

    def _lose(self, task: Task, how: str) -> None:
        """A worker ended on this task, which is given out again unless that was the last attempt."""
        if not self._is_over(task, how):
            self._queue.appendleft(task)

    def _is_over(self, task: Task, how: str) -> bool:
        """A worker ended on this task. Whether that was the last attempt; then that is the outcome."""
        outcome = self._deaths.add(task, how)
        if outcome is not None:
            self._done.append(outcome)
        return outcome is not None

    def _begin_again(self, how: str) -> None:
        """A worker ended before it was ready, which is no fault of a task."""
        self._unready += 1
        if self._unready >= BEGINNINGS:
            raise InputError(
                f"{self._unready} workers have ended one after the other before they were ready, "
                f"the last one {how}.",
                hint="Is there enough memory? Is disco2 installed there? What is done is kept.",
            )
        self._notice(f"a worker ended {how} before it was ready, and is replaced")
