"""Keeps processes running: what ends is started again, as a service manager would do it."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

PAUSE = 0.5  # seconds before what has ended is started again
PATIENCE = 20.0  # seconds for a process to end by itself


class Supervised(AbstractContextManager["Supervised"]):
    """One process, started again whenever it ends, until this is closed. Its output goes to a log."""

    def __init__(self, name: str, command: Sequence[str], *, log: Path) -> None:
        self.name = name
        self.started = 0
        self._command = list(command)
        self._log = log
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep_running, daemon=True)
        self._thread.start()

    @property
    def process(self) -> int | None:
        """Its number, where it runs at this moment."""
        with self._lock:
            running = self._process is not None and self._process.poll() is None
            return self._process.pid if running and self._process is not None else None

    def __exit__(self, *exception: object) -> None:
        self._closing.set()
        with self._lock:
            if self._process is not None:
                self._process.terminate()
        self._thread.join(PATIENCE)
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                self._process.kill()
                self._process.wait()

    def _keep_running(self) -> None:
        with self._log.open("ab") as log:
            while not self._closing.is_set():
                with self._lock:
                    if self._closing.is_set():
                        return
                    self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
                    self.started += 1
                    running = self._process
                running.wait()
                self._closing.wait(PAUSE)
