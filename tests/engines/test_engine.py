"""What every engine does, whatever happens to its workers; what the local one does."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from disco2.engines import Engine, LocalEngine, Outcome, Session, Task
from tests.conftest import ROOT
from tests.engines.works import Diary, Obedient, Squares, example_error
from tests.processes import of_group


def run(session: Session, given: Sequence[object]) -> list[Outcome]:
    """Outcomes in the order of their tasks; each task must have one."""
    tasks = [Task(f"task-{number}", one) for number, one in enumerate(given)]
    outcomes = list(session.run(tasks))
    assert len(outcomes) == len(tasks)
    by_key = {outcome.task.key: outcome for outcome in outcomes}
    return [by_key[task.key] for task in tasks]


def test_a_process_keeps_its_work(engine: Engine, diary: Diary) -> None:
    with engine.session(Squares(diary, seconds=0.05)) as session:
        outcomes = run(session, range(12))
    assert [outcome.result for outcome in outcomes] == [number * number for number in range(12)]
    beginnings = [line.split()[1] for line in diary.lines() if line.startswith("begin")]
    assert beginnings
    assert len(set(beginnings)) == len(beginnings) <= 2
    assert str(os.getpid()) not in beginnings


@pytest.mark.parametrize("kind", ["BundleError", "MissingExtraError"])
def test_an_error_of_the_work_is_raised(engine: Engine, diary: Diary, kind: str) -> None:
    expected = example_error(kind)
    with pytest.raises(type(expected)) as raised, engine.session(Obedient(diary), notice=print) as session:
        run(session, [("fail", kind)])
    error = raised.value
    assert (error.what, error.where, error.hint) == (expected.what, expected.where, expected.hint)


def test_a_bug_is_raised_with_its_traceback(engine: Engine, diary: Diary) -> None:
    with (
        pytest.raises(RuntimeError, match="ZeroDivisionError: upside down") as raised,
        engine.session(Obedient(diary)) as session,
    ):
        run(session, [("bug", "upside down")])
    assert "works.py" in "".join(raised.value.__notes__)


def test_deaths_and_retries(engine: Engine, diary: Diary) -> None:
    said: list[str] = []
    returned = [("return", number) for number in range(5)]
    with engine.session(Obedient(diary), attempts=2, notice=said.append) as session:
        outcomes = run(session, [("die_once", "a"), *returned])
        assert [outcome.result for outcome in outcomes] == ["a", *range(5)]
        # One after the other: on Dask, a worker that dies takes results that were not fetched yet with it.
        assert run(session, [("die", int(signal.SIGKILL))])[0].died
    assert sum("task-0; retrying it (2 of 2)" in one for one in said) == 2
    assert sum("task-0; giving up" in one for one in said) == 1


def test_ways_of_dying(engine: Engine, diary: Diary) -> None:
    with engine.session(Obedient(diary), attempts=2) as session:
        assert run(session, [("exhaust_memory", "")])[0].died == "out of memory"
    assert len(diary.lines()) == 2
    with LocalEngine(1).session(Obedient(diary), attempts=2) as session:
        (outcome,) = run(session, [("die", int(signal.SIGTERM))])
    assert outcome.died == "by signal SIGTERM"


def test_workers_that_are_killed_again_and_again(engine: Engine, diary: Diary) -> None:
    """At any time: in the middle of a task, between two, or while the work begins."""
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
            outcomes = run(session, numbers)
    finally:
        over.set()
        killer.join()
    assert len(killed) >= 2
    assert [outcome.result for outcome in outcomes] == [number * number for number in numbers]


def test_tasks_without_an_outcome_are_dropped_at_the_end(engine: Engine, diary: Diary) -> None:
    before = time.monotonic()
    with engine.session(Obedient(diary)) as session:
        tasks = [Task(str(number), ("sleep", 0.5 if number == 0 else 3.0)) for number in range(5)]
        assert next(session.run(tasks)).task.key == "0"
    assert time.monotonic() - before < 30
    assert len(diary.lines()) < 5


def test_tasks_are_made_when_there_is_a_worker_for_them(diary: Diary) -> None:
    asked: list[int] = []

    def tasks() -> Iterator[Task]:
        for count in range(20):
            asked.append(count)
            yield Task(str(count), count)

    with LocalEngine(2).session(Squares(diary)) as session:
        for number, _ in enumerate(session.run(tasks())):
            assert len(asked) <= number + 2
        assert len(asked) == 20
        assert list(session.run([])) == []


def test_processes_are_started_as_there_are_tasks(diary: Diary) -> None:
    others = {process.pid for process in multiprocessing.active_children()}

    def started() -> int:
        return sum(process.pid not in others for process in multiprocessing.active_children())

    with LocalEngine(8).session(Squares(diary)) as session:
        assert started() == 0
        run(session, [1])
        assert started() == 1
    assert started() == 0

    def stumble() -> None:
        with LocalEngine(2).session(Obedient(diary)) as session:
            for _ in session.run([Task("a", ("sleep", 1000.0)), Task("b", ("return", 1))]):
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stumble()
    assert started() == 0


def test_a_worker_that_dies_without_a_task_is_replaced(diary: Diary) -> None:
    with LocalEngine(1).session(Squares(diary)) as session:
        run(session, [1])
        pid = int(diary.lines()[0].split()[1])
        os.kill(pid, signal.SIGKILL)
        assert [outcome.result for outcome in run(session, [2])] == [4]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("name", ["local", "dask"])
def test_no_process_outlives_a_driver(tmp_path: Path, name: str, number: signal.Signals) -> None:
    """Ctrl+C reaches the whole process group; SIGKILL only the driver."""
    if name == "dask":
        pytest.importorskip("distributed")
    process = start_driver(tmp_path, name)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
        assert process.communicate(timeout=60)[1] == "interrupted\n"
        assert process.returncode == 130
    else:
        process.kill()
    wait_for_the_end(process)


def start_driver(folder: Path, engine: str) -> subprocess.Popen[str]:
    """A driver in a process group that has had its first result."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.engines.driver", str(folder / "diary"), engine],
        cwd=ROOT,
        env={**os.environ, "PYTHONSAFEPATH": "", "TMPDIR": str(folder)},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # may be ignored in background jobs
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() in ("0", "1", "4", "9")
    assert len(of_group(process.pid)) >= 2
    return process


def wait_for_the_end(process: subprocess.Popen[str]) -> None:
    """All processes of the group must end by themselves."""
    process.wait(timeout=60)
    until = time.monotonic() + 20
    while of_group(process.pid) and time.monotonic() < until:
        time.sleep(0.1)
    left = of_group(process.pid)
    if left:
        os.killpg(process.pid, signal.SIGKILL)
    assert not left
