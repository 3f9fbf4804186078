"""Starting a driver that a test interrupts or kills."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def start(diary: Path, *arguments: str) -> subprocess.Popen[str]:
    """A driver in a group of processes of its own, when its first task is done."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.engines.driver", str(diary), *arguments],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background may have switched interrupts off.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() in ("0", "1", "4", "9")
    return process
