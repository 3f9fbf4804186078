"""Every benchmark can be started."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pytest

from benchmarks.__main__ import KEYS, measure
from benchmarks.made_up_documents import made_up_document
from benchmarks.speed.measure import Run
from tests.conftest import ROOT

NAMES = ("", ".answers", ".bulk", ".dask_hosts", ".made_up_documents", ".server_load", ".text")


@pytest.mark.parametrize("name", NAMES)
def test_help(name: str) -> None:
    pytest.importorskip("psutil")
    command = [sys.executable, "-m", f"benchmarks{name}", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ")


def test_quick_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.speed.measure.PAIRS", 1024)
    monkeypatch.setattr(Run, "repeats", 1)
    found = measure(Run(quick=True))
    assert all(found[key] > 0 for key in KEYS)
    json.dumps(found)


def test_made_up_documents_are_the_same_everywhere() -> None:
    text = "".join(made_up_document(number) for number in range(500))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest[:16] == "d0c848a7308889d4", "other documents need another SEED, and new figures"
