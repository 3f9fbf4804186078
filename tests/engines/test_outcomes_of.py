"""Tasks are asked for when there is room for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import pytest

from disco2.engines import LocalEngine, Outcome, Session, Task, outcomes_of
from tests.engines.works import Diary, Squares


class Slow:
    """A session that hands out one outcome whenever it is asked; its number of workers may change."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.most = 0
        self._tasks: deque[Task] = deque()

    @property
    def waiting(self) -> int:
        return len(self._tasks)

    def submit(self, task: Task) -> None:
        self._tasks.append(task)
        self.most = max(self.most, len(self._tasks))

    def outcomes(self, seconds: float | None = None) -> list[Outcome]:
        return [Outcome(self._tasks.popleft())] if self._tasks else []


def tasks(number: int, asked: list[int]) -> Iterator[Task]:
    for count in range(number):
        asked.append(count)
        yield Task(str(count), count)


@pytest.mark.parametrize(("workers", "ahead"), [(1, 1), (2, 2), (3, 4)])
def test_never_more_than_there_is_room_for(workers: int, ahead: int) -> None:
    session, asked = Slow(workers), list[int]()
    outcomes = outcomes_of(session, tasks(50, asked), ahead=ahead)
    assert asked == []
    for number, outcome in enumerate(outcomes):
        assert outcome.task.key == str(number)
        assert len(asked) <= number + 1 + workers * ahead
    assert (len(asked), session.most) == (50, workers * ahead)


def test_workers_that_come_later_get_tasks_and_none_is_no_reason_to_stop() -> None:
    session: Slow = Slow(0)
    found = outcomes_of(session, tasks(20, []))
    assert next(found).task.key == "0"
    session.workers = 4
    assert [outcome.task.key for outcome in found] == [str(number) for number in range(1, 20)]
    assert session.most == 8


def test_nothing_to_do() -> None:
    session: Session = Slow(2)
    assert list(outcomes_of(session, [])) == []


def test_with_real_workers(diary: Diary) -> None:
    asked: list[int] = []
    with LocalEngine(2).session(Squares(diary)) as session:
        for number, _ in enumerate(outcomes_of(session, tasks(40, asked))):
            assert len(asked) <= number + 9  # four that wait, four that are done and not yet handed out
    assert len(asked) == 40
