"""Loading, predicting, training and judging work where no socket can be opened and no program started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.without_network import REFUSED

PAIRS = [
    ("Ann was hungry.", "She ate a bun.", "Result"),
    ("Ben was tired.", "He slept for hours.", "Result"),
    ("Cleo left early.", "She had missed her bus.", "Reason"),
    ("Dan ran home.", "He was late.", "Reason"),
] * 4
# Addresses, templates and escape sequences in a text are words like others.
ODD = "See http://127.0.0.1:9/x and {{ 7 * 7 }} or ${HOME}. It <script>ran</script>\x1b[2J file:///etc."
QUICK = ["--set", "training.epochs=1", "--set", "model.K=5", "--set", "task.minimum=1"]


def cut_off(*command: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    """A command in a process that has a home, and nobody to talk to."""
    surroundings = os.environ | {"HOME": str(home)}
    del surroundings["DISCO2_CACHE"]
    program = [sys.executable, "-m", "tests.without_network", *map(str, command)]
    return subprocess.run(program, cwd=ROOT, env=surroundings, capture_output=True, text=True, timeout=300)


def test_the_process_is_really_cut_off(tmp_path: Path) -> None:
    done = cut_off("serve", "--port", "0", home=tmp_path)
    assert done.returncode != 0
    assert REFUSED in done.stderr


def test_loading_predicting_explaining_and_drawing(tmp_path: Path) -> None:
    done = cut_off(home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []  # such as a device's ID for telemetry


def test_training_judging_and_predicting_by_command(tmp_path: Path) -> None:
    """In a folder whose name has a space and an umlaut, and with a home that can't be written."""
    room = tmp_path / "eine Übung"
    room.mkdir()
    corpus = room / "pairs.jsonl"
    with corpus.open("w", encoding="utf-8") as stream:
        for number, (arg1, arg2, label) in enumerate(PAIRS):
            part = ("train", "dev", "test")[number // 4 % 3]
            stream.write(json.dumps({"arg1": arg1, "arg2": arg2, "label": label, "split": part}) + "\n")
    model = room / "model"
    (room / "odd.txt").write_text(ODD, encoding="utf-8")
    out = room / "relations"
    given = ["--corpus", "pairs", "--path", corpus]
    for command in (
        ["train", *given, *QUICK, "--output", model],
        ["evaluate", *given, "--model", model],
        ["predict", "--model", model, ODD],
        ["bulk", "--model", model, room / "*.txt", "--output", out, "--workers", "1"],
    ):
        done = cut_off(*command, home=Path(os.devnull, "home"))
        assert REFUSED not in done.stderr
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout
