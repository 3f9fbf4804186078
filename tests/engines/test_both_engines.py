"""What every engine does, whatever happens to its workers."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from disco2.engines import Engine, Outcome, Session, Task, outcomes_of
from disco2.errors import Disco2Error, InputError
from tests.engines.works import (
    BadBeginning,
    Diary,
    Obedient,
    OddityError,
    Squares,
    kinds_of_error,
    made_up_error,
)


def done(session: Session, given: Sequence[object]) -> list[Outcome]:
    """Outcomes in the order of their tasks."""
    tasks = [Task(f"task-{number}", one) for number, one in enumerate(given)]
    outcomes = {outcome.task.key: outcome for outcome in outcomes_of(session, tasks)}
    return [outcomes[task.key] for task in tasks]


def test_every_task_has_one_outcome(engine: Engine, diary: Diary) -> None:
    with engine.session(Squares(diary)) as session:
        outcomes = list(outcomes_of(session, (Task(str(number), number) for number in range(20))))
        assert session.waiting == 0
        assert session.outcomes() == []
    assert sorted((outcome.task.given, outcome.result) for outcome in outcomes) == [
        (number, number * number) for number in range(20)
    ]


def test_the_work_begins_and_ends_once_in_every_process(engine: Engine, diary: Diary) -> None:
    with engine.session(Squares(diary, seconds=0.05)) as session:
        done(session, range(12))
    beginnings = [line.split()[1] for line in diary.lines() if line.startswith("begin")]
    assert beginnings
    assert len(set(beginnings)) == len(beginnings) <= 2
    assert str(os.getpid()) not in beginnings
    assert sorted(diary.lines()) == sorted(f"{what} {pid}" for what in ("begin", "end") for pid in beginnings)


def test_tasks_may_be_submitted_one_by_one(engine: Engine, diary: Diary, tmp_path: Path) -> None:
    with engine.session(Obedient(diary)) as session:
        session.submit(Task("long", ("wait_for", tmp_path / "sign")))
        assert session.waiting == 1
        assert session.outcomes(0.05) == []
        session.submit(Task("short", ("return", 7)))
        assert [outcome.result for outcome in session.outcomes()] == [7]
        with pytest.raises(ValueError, match="long"):
            session.submit(Task("long", ("return", 8)))
        (tmp_path / "sign").touch()
        assert [outcome.task.key for outcome in session.outcomes()] == ["long"]
        session.submit(Task("long", ("return", 9)))
        assert [outcome.result for outcome in session.outcomes()] == [9]


def test_errors_of_the_work_are_outcomes_whatever_their_kind(engine: Engine, diary: Diary) -> None:
    kinds = kinds_of_error()
    assert "BundleError" in kinds
    with engine.session(Obedient(diary)) as session:
        outcomes = done(session, [("fail", kind) for kind in kinds])
    for kind, outcome in zip(kinds, outcomes, strict=True):
        error, expected = outcome.error, made_up_error(kind)
        assert isinstance(error, Disco2Error)
        assert type(error) is type(expected)
        assert (str(error), error.what, error.where, error.hint) == (
            str(expected),
            expected.what,
            expected.where,
            expected.hint,
        )
        assert (outcome.result, outcome.died) == (None, "")


def test_a_mistake_of_the_program_comes_out_as_itself(engine: Engine, diary: Diary) -> None:
    with (
        pytest.raises(OddityError, match="upside down") as raised,
        engine.session(Obedient(diary)) as session,
    ):
        done(session, [("stumble", "upside down")])
    assert "works.py" in "".join(raised.value.__notes__)
    with (
        pytest.raises(RuntimeError, match="StubbornOddityError: a"),
        engine.session(Obedient(diary)) as session,
    ):
        done(session, [("stumble_badly", "a")])
    with pytest.raises(TypeError, match="pickle"), engine.session(Obedient(diary)) as session:
        done(session, [("return_a_lock", "")])


def test_what_can_not_be_pickled_is_said_where_it_was_given(engine: Engine, diary: Diary) -> None:
    with pytest.raises(Exception, match="pickle"), engine.session(Obedient(diary)) as session:
        done(session, [("return", threading.Lock())])


def test_a_bad_beginning_ends_the_session(engine: Engine) -> None:
    with (
        pytest.raises(Disco2Error, match=r"model\.json.*Fetch it"),
        engine.session(BadBeginning("error")) as session,
    ):
        done(session, [1, 2])
    with (
        pytest.raises(FileNotFoundError, match="no such model"),
        engine.session(BadBeginning("missing")) as session,
    ):
        done(session, [1, 2])


def test_a_task_whose_worker_dies_is_tried_again(engine: Engine, diary: Diary) -> None:
    said: list[str] = []
    with engine.session(
        Obedient(diary), notice=said.append, died=lambda task, how: diary.add(f"died {task.key}")
    ) as session:
        outcomes = done(session, [("die_once", "a"), ("return", 5)])
    assert [outcome.result for outcome in outcomes] == ["a", 5]
    told = [line for line in diary.lines() if line != "return 5"]
    assert told == ["die_once a", "died task-0", "die_once a"]  # known before it is tried again
    assert [sentence for sentence in said if "task-0, which is tried again (2 of 3)" in sentence]


def test_a_task_that_always_kills_its_worker_is_given_up(engine: Engine, diary: Diary) -> None:
    said: list[str] = []
    deaths: list[str] = []
    with engine.session(
        Obedient(diary), attempts=2, notice=said.append, died=lambda task, how: deaths.append(task.key)
    ) as session:
        outcomes = done(session, [("die", int(signal.SIGKILL)), *(("return", number) for number in range(5))])
    assert outcomes[0].died
    assert (outcomes[0].result, outcomes[0].error) == (None, None)
    assert [outcome.result for outcome in outcomes[1:]] == list(range(5))
    assert deaths == ["task-0", "task-0"]
    assert diary.lines().count(f"die {int(signal.SIGKILL)}") == 2
    assert "given up" in said[-1]


@pytest.mark.parametrize(("what", "how"), [("starve", "for want of memory"), ("exit", "with exit code 3")])
def test_work_that_is_cut_short_counts_as_a_death(engine: Engine, diary: Diary, what: str, how: str) -> None:
    with engine.session(Obedient(diary), attempts=2) as session:
        (outcome,) = done(session, [(what, 3)])
    assert outcome.died == f"{how} (2 times)"
    assert len(diary.lines()) == 2


def test_workers_that_are_killed_again_and_again(engine: Engine, diary: Diary) -> None:
    """Whenever it happens: in the middle of a task, before, between two, or while the work begins."""
    numbers, chance = range(16), random.Random(3)  # noqa: S311
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while len(killed) < 4 and not over.wait(chance.uniform(0.2, 0.5)):
            known = [int(line.split()[1]) for line in diary.lines() if line.startswith("begin")]
            for pid in known[::-1]:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                    if pid not in killed:
                        killed.append(pid)
                        break

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with engine.session(Squares(diary, seconds=0.3), attempts=20) as session:
            outcomes = done(session, numbers)
    finally:
        over.set()
        killer.join()
    assert len(killed) >= 2
    assert [outcome.result for outcome in outcomes] == [number * number for number in numbers]


def test_leaving_early_drops_what_is_left(engine: Engine, diary: Diary) -> None:
    before = time.monotonic()
    with engine.session(Obedient(diary)) as session:
        for number in range(5):
            session.submit(Task(str(number), ("sleep", 0.5 if number == 0 else 3.0)))
        assert [outcome.task.key for outcome in session.outcomes()] == ["0"]
    assert time.monotonic() - before < 30
    assert len(diary.lines()) < 5


def test_large_work_and_large_results(engine: Engine, diary: Diary) -> None:
    with engine.session(Squares(diary, burden=bytes(30_000_000))) as session:
        assert [outcome.result for outcome in done(session, [3])] == [30_000_009]
    with engine.session(Obedient(diary)) as session:
        assert len(done(session, [("return", "x" * 3_000_000)])[0].result) == 3_000_000


def test_workers_that_die_before_they_are_ready_are_not_replaced_for_ever(engine: Engine) -> None:
    said: list[str] = []
    with (
        pytest.raises(InputError, match="before they were ready"),
        engine.session(BadBeginning("kill"), notice=said.append) as session,
    ):
        done(session, [1])
    assert len(said) >= 2
