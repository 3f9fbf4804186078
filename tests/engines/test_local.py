"""What only the engine of this machine does."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess

import pytest

from disco2.engines import LocalEngine, Task, outcomes_of
from tests.engines.works import Diary, Obedient, Squares

Started = Callable[[], list[BaseProcess]]


@pytest.fixture
def started() -> Started:
    """The processes that this test has started and that live; other tests may have left some of theirs."""
    others = {process.pid for process in multiprocessing.active_children()}
    return lambda: [process for process in multiprocessing.active_children() if process.pid not in others]


def test_processes_are_started_as_there_are_tasks(diary: Diary, started: Started) -> None:
    with LocalEngine(8).session(Squares(diary)) as session:
        assert session.workers == 8
        assert not started()
        list(outcomes_of(session, [Task("one", 1)]))
        assert len(started()) == 1
    assert not started()


def test_one_worker_is_a_process_too(diary: Diary) -> None:
    with LocalEngine(1).session(Obedient(diary), attempts=2) as session:
        (outcome,) = outcomes_of(session, [Task("one", ("die", int(signal.SIGTERM)))])
    assert outcome.died == "by signal SIGTERM (2 times)"


def test_the_ways_to_die_are_told_apart(diary: Diary) -> None:
    heard: list[str] = []
    with LocalEngine(1).session(
        Obedient(diary), attempts=1, died=lambda task, how: heard.append(how)
    ) as session:
        list(outcomes_of(session, [Task("a", ("die", int(signal.SIGKILL))), Task("b", ("exit", 4))]))
    assert heard == ["by signal SIGKILL", "with exit code 4"]


def test_a_worker_that_dies_without_a_task_is_replaced(diary: Diary, started: Started) -> None:
    said: list[str] = []
    with LocalEngine(1).session(Squares(diary), notice=said.append) as session:
        list(outcomes_of(session, [Task("a", 1)]))
        (child,) = started()
        child.kill()
        child.join()
        assert [outcome.result for outcome in outcomes_of(session, [Task("b", 2)])] == [4]
    (notice,) = said  # whether it had a task depends on who notices first
    assert notice.startswith("a worker ended by signal SIGKILL")


def test_where_processes_are_not_forked(diary: Diary, monkeypatch: pytest.MonkeyPatch) -> None:
    context = multiprocessing.get_context("spawn")
    monkeypatch.setattr("disco2.engines.local.process_context", lambda: context)
    with LocalEngine(1).session(Squares(diary, burden=b"12")) as session:
        assert [outcome.result for outcome in outcomes_of(session, [Task("a", 1)])] == [3]


def test_an_exception_in_the_driver_ends_the_workers_at_once(diary: Diary, started: Started) -> None:
    def stumble() -> None:
        with LocalEngine(2).session(Obedient(diary)) as session:
            session.submit(Task("a", ("sleep", 1000.0)))
            session.submit(Task("b", ("sleep", 1000.0)))
            while len(diary.lines()) < 2:
                time.sleep(0.05)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stumble()
    assert not started()
