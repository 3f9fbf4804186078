"""The coverage-guided fuzzer on every target, for a fixed number of inputs from a fixed seed."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fuzzing.atheris_run import FAULT
from tests.fuzzing.target import all_targets

RUNS = 50
ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed")


def run(*options: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.fuzzing.atheris_run", *map(str, options)]
    # Sets in another order would take other branches, and lead the fuzzer elsewhere.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)


def test_no_target_has_a_fault(tmp_path: Path) -> None:
    done = run("all", "--runs", str(RUNS), "--folder", tmp_path)
    lines = [line.split() for line in done.stdout.splitlines()]
    logs = [
        (tmp_path / line[0] / "log.txt").read_text(errors="replace")[-3_000:]
        for line in lines
        if "FAULT," in line
    ]
    assert done.returncode == 0, "\n".join([done.stderr, *logs])
    assert [line[0] for line in lines] == list(all_targets())
    for name, runs, _, _, _, _, branches, *_ in lines:
        assert int(runs.replace(",", "")) >= RUNS, name
        assert int(branches.replace(",", "")) > 5, f"{name} is not instrumented"


def test_a_kept_input_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"(S (NN dog)))")
    done = run("brackets", "--input", tmp_path / "input")
    assert (done.returncode, done.stdout) == (
        0,
        "It was refused: f:1: A bracket closes that was never opened.\n",
    )


def test_unknown_targets_are_named() -> None:
    done = run("nothing", "--runs", "1")
    assert done.returncode == 1
    assert "There is no target nothing. There are: " in done.stderr


FAULTY = """
import sys
from pathlib import Path
from tests.fuzzing.atheris_run import fuzz
from tests.fuzzing.target import Target

def read(content):
    if content.startswith(b"x"):
        raise ValueError("a fault of ours")

outcome = fuzz(Target("faulty", read, (b"xyz",)), Path(sys.argv[1]), ["-runs=50", "-seed=1"])
sys.exit(outcome.code)
"""


def test_a_fault_is_told_and_its_input_kept(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FAULTY, str(tmp_path)], cwd=ROOT, check=False)
    assert done.returncode == FAULT
    assert "a fault of ours" in (tmp_path / "log.txt").read_text()
    assert [file.read_bytes() for file in tmp_path.glob("crash-*")] == [b"xyz"]
