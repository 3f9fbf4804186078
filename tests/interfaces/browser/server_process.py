"""``disco2 serve`` in a process of its own, on a port that is free."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ServerProcess:
    address: str  # http://127.0.0.1:12345
    process: subprocess.Popen[str]

    def stop(self) -> None:
        """As Ctrl+C does, and wait for it."""
        self.process.terminate()
        self.process.wait(timeout=30)


@contextmanager
def serving(log: Path, *options: str) -> Iterator[ServerProcess]:
    """A server while the block runs; what it says goes to a file, so that no pipe fills up."""
    command = [sys.executable, "-c", "from disco2.interfaces.cli import main; main()", "serve", "--port", "0"]
    with log.open("w", encoding="utf-8") as messages:
        process = subprocess.Popen([*command, *options], stdout=messages, stderr=messages, text=True)
    try:
        yield ServerProcess(_address(process, log), process)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=30)


def _address(process: subprocess.Popen[str], log: Path) -> str:
    """Wait until it tells where it listens."""
    for _ in range(600):
        said = log.read_text(encoding="utf-8")
        if found := re.search(r"at (http://[\d.]+:\d+)", said):
            return found[1]
        try:
            process.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            continue
        break
    raise AssertionError(f"disco2 serve did not start: {log.read_text(encoding='utf-8')}")
