"""Killed at whatever moment, the same command goes on, and ends with the same bytes."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bulk.program import PROGRAM
from tests.bulk.stand_in import SLOW, Predicting, contents, text
from tests.conftest import ROOT
from tests.processes import any_lives, children

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

DOCUMENTS = 120
LIMIT = 20_000  # bytes of a file


class Runs:
    """Starts the command, on slow documents; ends what is left of it."""

    def __init__(self, bundle: Path, folder: Path) -> None:
        self._bundle = bundle
        self._started: list[subprocess.Popen[str]] = []
        self.corpus = folder / "corpus"
        self.corpus.mkdir()
        for number in range(DOCUMENTS):
            (self.corpus / f"{number:03d}.txt").write_text(f"{text(number)} {SLOW}s are slow.")

    def start(self, output: Path, *options: str, limit: int = 0) -> subprocess.Popen[str]:
        command = [*PROGRAM, "--model", str(self._bundle), f"{self.corpus}/*.txt"]
        command += ["--output", str(output), "--shard-documents", "10", "--workers", "2", *options]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: _prepare(limit),
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        for process in self._started:
            if process.poll() is None:
                process.kill()
                process.wait()


def _prepare(limit: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who runs the tests may have switched interrupts off
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


@pytest.fixture
def runs(predict: Predicting, tmp_path: Path) -> Iterator[Runs]:
    started = Runs(predict.bundle, tmp_path)
    yield started
    started.end()


def quiet(runs: Runs, output: Path) -> dict[str, bytes]:
    process = runs.start(output)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, ""), err
    assert f"{DOCUMENTS} documents" in out
    return contents(output)


def wait_until_it_works(process: subprocess.Popen[str], output: Path) -> None:
    """Until a shard is finished, or all is over."""
    while process.poll() is None and not list(output.glob("records/[0-9a-f]*")):
        time.sleep(0.01)


def test_kills(runs: Runs, tmp_path: Path) -> None:
    expected = quiet(runs, tmp_path / "quiet")
    chance = random.Random(3)  # noqa: S311  no secret

    output = tmp_path / "workers"
    process = runs.start(output)
    killed = 0
    while process.poll() is None and killed < 10:
        wait_until_it_works(process, output)
        time.sleep(chance.random() / 5)
        if found := children(process.pid):
            os.kill(chance.choice(found), signal.SIGKILL)
            killed += 1
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert err.count("SIGKILL") >= 5
    assert contents(output) == expected

    output = tmp_path / "commands"
    for _ in range(4):
        process = runs.start(output)
        wait_until_it_works(process, output)
        time.sleep(chance.random() / 2)
        workers = children(process.pid)
        process.kill()
        process.communicate()
        assert not (output / "manifest.json").exists()
        while any_lives(workers):  # they notice that the command is gone
            time.sleep(0.05)
    _out, err = (process := runs.start(output)).communicate(timeout=300)
    assert process.returncode == 0, err
    assert "shards were already there" in err
    assert contents(output) == expected


def test_an_interrupt(runs: Runs, tmp_path: Path) -> None:
    output = tmp_path / "out"
    process = runs.start(output)
    wait_until_it_works(process, output)
    time.sleep(0.5)
    workers = children(process.pid)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=180)
    assert process.returncode == 130
    assert "interrupted" in err
    assert "run the same command" in err
    assert "Traceback" not in err
    assert not any_lives(workers)


def test_a_full_disk(runs: Runs, tmp_path: Path) -> None:
    output = tmp_path / "out"
    process = runs.start(output, limit=LIMIT)
    _, err = process.communicate(timeout=180)
    assert process.returncode == 2, err
    assert "It can't be written" in err
    assert "Traceback" not in err
    assert not (output / "manifest.json").exists()
    process = runs.start(output)
    _, err = process.communicate(timeout=180)
    assert process.returncode == 0, err
    assert all(file.stat().st_size for file in (output / "relations").iterdir())
    assert max(file.stat().st_size for file in (output / "relations").iterdir()) > LIMIT
    assert {path.name for path in output.iterdir()} == {
        "manifest.json",
        "errors.jsonl",
        "relations",
        "records",
    }
