"""A driver that is interrupted or killed leaves no process behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.engines.driver_processes import start
from tests.processes import of_group

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def wait_until_empty(group: int) -> None:
    for _ in range(200):
        if not of_group(group):
            return
        time.sleep(0.1)
    left = of_group(group)
    os.killpg(group, signal.SIGKILL)
    pytest.fail(f"left behind: {left}")


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_an_interrupt_ends_everything_without_a_word(tmp_path: Path, engine: str) -> None:
    if engine == "dask":
        pytest.importorskip("distributed")
    process = start(tmp_path / "diary", engine)
    assert len(of_group(process.pid)) >= 2
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "interrupted\n")
    wait_until_empty(process.pid)


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_workers_end_with_a_driver_that_is_killed(tmp_path: Path, engine: str) -> None:
    if engine == "dask":
        pytest.importorskip("distributed")
    process = start(tmp_path / "diary", engine)
    assert len(of_group(process.pid)) >= 2
    process.kill()
    process.communicate(timeout=60)
    wait_until_empty(process.pid)
