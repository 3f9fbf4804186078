"""What every engine does, whatever happens to its workers."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from disco2.engines import Engine, LocalEngine, Outcome, Session, Task, outcomes_of
from disco2.errors import Disco2Error
from tests.conftest import ROOT
from tests.engines.works import (
    BadBeginning,
    BugError,
    Diary,
    Obedient,
    Squares,
    example_error,
    kinds_of_error,
)
from tests.processes import of_group


def run(session: Session, given: Sequence[object]) -> list[Outcome]:
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
        run(session, range(12))
    beginnings = [line.split()[1] for line in diary.lines() if line.startswith("begin")]
    assert beginnings
    assert len(set(beginnings)) == len(beginnings) <= 2
    assert str(os.getpid()) not in beginnings
    assert sorted(diary.lines()) == sorted(f"{what} {pid}" for what in ("begin", "end") for pid in beginnings)


def test_tasks_submitted_one_by_one(engine: Engine, diary: Diary, tmp_path: Path) -> None:
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


def test_errors_of_the_work_are_outcomes(engine: Engine, diary: Diary) -> None:
    kinds = kinds_of_error()
    assert "BundleError" in kinds
    with engine.session(Obedient(diary)) as session:
        outcomes = run(session, [("fail", kind) for kind in kinds])
    for kind, outcome in zip(kinds, outcomes, strict=True):
        error, expected = outcome.error, example_error(kind)
        assert type(error) is type(expected)
        assert isinstance(error, Disco2Error)
        assert (str(error), error.what, error.where, error.hint) == (
            str(expected),
            expected.what,
            expected.where,
            expected.hint,
        )
        assert (outcome.result, outcome.died) == (None, "")


def test_a_bug_is_raised_with_its_traceback(engine: Engine, diary: Diary) -> None:
    with pytest.raises(BugError, match="upside down") as raised, engine.session(Obedient(diary)) as session:
        run(session, [("bug", "upside down")])
    assert "works.py" in "".join(raised.value.__notes__)
    with (
        pytest.raises(RuntimeError, match="UnpicklableBugError: a"),
        engine.session(Obedient(diary)) as session,
    ):
        run(session, [("unpicklable_bug", "a")])
    with pytest.raises(TypeError, match="pickle"), engine.session(Obedient(diary)) as session:
        run(session, [("return_a_lock", "")])
    with pytest.raises(Exception, match="pickle"), engine.session(Obedient(diary)) as session:
        run(session, [("return", threading.Lock())])


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [("error", Disco2Error, r"model\.json.*Fetch it"), ("missing", FileNotFoundError, "no such model")],
)
def test_an_exception_of_begin_ends_the_session(
    engine: Engine, how: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message), engine.session(BadBeginning(how)) as session:
        run(session, [1, 2])


def test_a_worker_that_dies_in_begin_is_a_failed_attempt(engine: Engine) -> None:
    with engine.session(BadBeginning("kill"), attempts=2) as session:
        assert run(session, [1])[0].died


def test_a_task_whose_worker_dies_is_retried(engine: Engine, diary: Diary) -> None:
    said: list[str] = []
    with engine.session(
        Obedient(diary), notice=said.append, died=lambda task, how: diary.add(f"died {task.key}")
    ) as session:
        outcomes = run(session, [("die_once", "a"), ("return", 5)])
    assert [outcome.result for outcome in outcomes] == ["a", 5]
    lines = [line for line in diary.lines() if line != "return 5"]
    assert lines == ["die_once a", "died task-0", "die_once a"]  # ``died`` is called before the retry
    assert [sentence for sentence in said if "task-0; retrying it (2 of 3)" in sentence]


def test_a_task_that_always_kills_its_worker_is_given_up(engine: Engine, diary: Diary) -> None:
    said: list[str] = []
    deaths: list[str] = []
    with engine.session(
        Obedient(diary), attempts=2, notice=said.append, died=lambda task, how: deaths.append(task.key)
    ) as session:
        outcomes = run(session, [("die", int(signal.SIGKILL)), *(("return", number) for number in range(5))])
    assert outcomes[0].died
    assert (outcomes[0].result, outcomes[0].error) == (None, None)
    assert [outcome.result for outcome in outcomes[1:]] == list(range(5))
    assert deaths == ["task-0"] * 2
    assert "giving up" in said[-1]


def test_out_of_memory_counts_as_a_death(engine: Engine, diary: Diary) -> None:
    with engine.session(Obedient(diary), attempts=2) as session:
        assert run(session, [("exhaust_memory", "")])[0].died == "out of memory (2 times)"
    assert len(diary.lines()) == 2


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
        for number in range(5):
            session.submit(Task(str(number), ("sleep", 0.5 if number == 0 else 3.0)))
        assert [outcome.task.key for outcome in session.outcomes()] == ["0"]
    assert time.monotonic() - before < 30
    assert len(diary.lines()) < 5


def test_large_work_and_large_results(engine: Engine, diary: Diary) -> None:
    with engine.session(Squares(diary, burden=bytes(30_000_000))) as session:
        assert [outcome.result for outcome in run(session, [3])] == [30_000_009]
    with engine.session(Obedient(diary)) as session:
        assert len(run(session, [("return", "x" * 3_000_000)])[0].result) == 3_000_000


class FakeSession(Session):
    """Finishes one task whenever it is asked; its number of workers may change."""

    def __init__(self, workers: int) -> None:
        super().__init__(attempts=1, notice=print, died=print)
        self.number = workers
        self.most = 0
        self._tasks: deque[Task] = deque()

    @property
    def workers(self) -> int:
        return self.number

    def _send(self, task: Task) -> None:
        self._tasks.append(task)
        self.most = max(self.most, len(self._tasks))

    def _receive(self, seconds: float | None) -> None:
        self._done.append(Outcome(self._tasks.popleft()))


def numbered_tasks(number: int, asked: list[int]) -> Iterator[Task]:
    for count in range(number):
        asked.append(count)
        yield Task(str(count), count)


@pytest.mark.parametrize(("workers", "ahead"), [(1, 1), (2, 2), (3, 4)])
def test_tasks_are_submitted_lazily(workers: int, ahead: int) -> None:
    session, asked = FakeSession(workers), list[int]()
    outcomes = outcomes_of(session, numbered_tasks(50, asked), ahead=ahead)
    assert asked == []
    for number, outcome in enumerate(outcomes):
        assert outcome.task.key == str(number)
        assert len(asked) <= number + 1 + workers * ahead
    assert (len(asked), session.most) == (50, workers * ahead)
    assert list(outcomes_of(session, [])) == []


def test_workers_that_join_later_get_tasks() -> None:
    session = FakeSession(0)
    found = outcomes_of(session, numbered_tasks(20, []))
    assert next(found).task.key == "0"
    session.number = 4
    assert [outcome.task.key for outcome in found] == [str(number) for number in range(1, 20)]
    assert session.most == 8


def test_lazy_submission_with_real_workers(diary: Diary) -> None:
    asked: list[int] = []
    with LocalEngine(2).session(Squares(diary)) as session:
        for number, _ in enumerate(outcomes_of(session, numbered_tasks(40, asked))):
            assert len(asked) <= number + 9  # four that wait, four that are done and not yet yielded
    assert len(asked) == 40


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("name", ["local", "dask"])
def test_no_process_outlives_a_driver(tmp_path: Path, name: str, number: signal.Signals) -> None:
    """Ctrl+C reaches the whole process group; SIGKILL only the driver."""
    if name == "dask":
        pytest.importorskip("distributed")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.engines.driver", str(tmp_path / "diary"), name],
        cwd=ROOT,
        env={**os.environ, "PYTHONSAFEPATH": ""},  # set while the cluster of other tests runs
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # may be ignored in background jobs
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() in ("0", "1", "4", "9")
    assert len(of_group(process.pid)) >= 2
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
        assert process.communicate(timeout=60)[1] == "interrupted\n"
        assert process.returncode == 130
    else:
        process.kill()
        process.communicate(timeout=60)
    until = time.monotonic() + 20
    while of_group(process.pid) and time.monotonic() < until:
        time.sleep(0.1)
    left = of_group(process.pid)
    if left:
        os.killpg(process.pid, signal.SIGKILL)
    assert not left
