"""What kills processes by plan, and starts again what has ended."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

psutil = pytest.importorskip("psutil")

from benchmarks.bulk import command, killing  # noqa: E402
from benchmarks.bulk.kill_times import COMMAND, NANNY, SCHEDULER, WORKER, Planned, planned_kills  # noqa: E402
from benchmarks.bulk.process_tree import largest_resident, worker_processes  # noqa: E402
from benchmarks.bulk.same_bytes import differences, total_bytes  # noqa: E402
from benchmarks.bulk.supervisor import Supervised  # noqa: E402

SLEEPING = (sys.executable, "-c", "import time; time.sleep(60)")
# Starts a process below it, which ends with it, and ends by itself once told so by a file.
PARENT = """
import pathlib, subprocess, sys, time
child = "import os, time, sys\\nwhile os.getppid() == int(sys.argv[1]): time.sleep(0.05)"
import os
kept = subprocess.Popen([sys.executable, "-c", child, str(os.getpid())])
stop = pathlib.Path(sys.argv[1])
while not stop.exists():
    if kept.poll() is not None:
        kept = subprocess.Popen([sys.executable, "-c", child, str(os.getpid())])
    time.sleep(0.05)
kept.kill()
kept.wait()
"""


def until(holds: Callable[[], object]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    pytest.fail("it never came about")


def test_kills_are_drawn_once_and_for_all() -> None:
    plan = planned_kills(3, shards=100, workers=10, others=(SCHEDULER,), nannies=True)
    assert plan == planned_kills(3, shards=100, workers=10, others=(SCHEDULER,), nannies=True)
    assert plan != planned_kills(4, shards=100, workers=10, others=(SCHEDULER,), nannies=True)
    assert [kill.victim for kill in plan].count(SCHEDULER) == 1
    assert sum(kill.victim in (WORKER, NANNY) for kill in plan) == 10
    assert NANNY in {kill.victim for kill in plan}
    assert [kill.finished for kill in plan] == sorted(kill.finished for kill in plan)
    assert all(1 <= kill.finished <= 80 for kill in plan)


def test_what_ends_is_started_again_until_it_is_closed(tmp_path: Path) -> None:
    with Supervised("sleeper", SLEEPING, log=tmp_path / "log") as sleeper:
        until(lambda: sleeper.process)
        first = sleeper.process
        assert first is not None
        os.kill(first, signal.SIGKILL)
        until(lambda: sleeper.process not in (None, first))
        second = sleeper.process
        assert second is not None
        assert sleeper.started == 2
    assert not psutil.pid_exists(second)
    assert sleeper.process is None


def test_a_command_is_killed_by_plan_and_given_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "PROGRAM", (sys.executable, "-c", PARENT))
    stop = tmp_path / "stop"
    plan = [Planned(1, 0.2, WORKER, 0.5), Planned(2, 0.1, COMMAND, 0.0), Planned(2, 0.1, WORKER, 0.0)]
    asked: list[str] = []

    def find(victim: str, process: int) -> list[int]:
        found = [process] if victim == COMMAND else [below.pid for below in worker_processes(process)]
        asked.extend([victim] * bool(found))
        if len(asked) == len(plan):
            stop.touch()
        return found

    shards = iter([0, 0, 1])  # and from then on two
    survived = killing.run_while_killing(
        [str(stop)], plan, find, log=tmp_path / "log", finished=lambda: next(shards, 2)
    )
    assert all(kill.finished >= planned.finished for kill, planned in zip(survived.killed, plan, strict=True))
    assert [kill.victim for kill in survived.killed] == [WORKER, COMMAND, WORKER]
    assert len({kill.process for kill in survived.killed}) == 3
    assert (survived.code, survived.missed, survived.outlived) == (0, [], [])


def test_kills_that_came_too_late_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "PROGRAM", (sys.executable, "-c", "raise SystemExit(3)"))
    plan = [Planned(1, 0.0, WORKER, 0.0)]
    survived = killing.run_while_killing([], plan, lambda *_: [], log=tmp_path / "log", finished=lambda: 0)
    assert (survived.code, survived.missed, survived.killed) == (3, plan, [])


def test_a_command_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import time\nheld = bytearray(50 << 20)\nend = time.process_time() + 0.5\n"
    program += "while time.process_time() < end: pass\ntime.sleep(0.5)"
    monkeypatch.setattr(command, "PROGRAM", (sys.executable, "-c", program))
    run = command.measured([])
    assert run.code == 0
    assert run.seconds > 0.9
    assert 0.5 <= run.processor_seconds < run.seconds
    assert run.driver_bytes > 50 << 20
    assert run.worker_bytes == {}


def test_a_command_that_fails_ends_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "PROGRAM", (sys.executable, "-c", "raise SystemExit('no such file')"))
    with pytest.raises(SystemExit, match="no such file"):
        command.measured(["predict"])


def test_sizes_of_processes() -> None:
    assert largest_resident(os.getpid()) > 1 << 20
    assert largest_resident(2**22 + 1) == 0
    assert worker_processes(2**22 + 1) == []


def test_folders_are_compared_byte_for_byte(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name / "in").mkdir(parents=True)
        (tmp_path / name / "in" / "a").write_bytes(b"abc")
    one, other = tmp_path / "one", tmp_path / "other"
    assert differences(one, other) == []
    (other / "in" / "a").write_bytes(b"abd")
    (other / "b").touch()
    (one / ".c").touch()
    assert differences(one, other) == ["only in one: .c", "only in other: b", "differs: in/a"]
    assert total_bytes(one) == 3
