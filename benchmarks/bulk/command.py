"""One run of ``disco2 bulk`` in a process of its own, measured from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.bulk.process_tree import largest_resident, worker_processes

PROGRAM = (sys.executable, "-c", "from disco2.interfaces.cli import main; main()")
LOOKED_EVERY = 0.2  # seconds
TOTALS = ("documents", "sentences", "relations", "errors")


@dataclass
class Run:
    """What a command took: seconds, processor seconds of it and its workers, and bytes at their largest."""

    code: int = -1
    said: str = ""
    seconds: float = 0.0
    processor_seconds: float = 0.0
    driver_bytes: int = 0
    worker_bytes: dict[int, int] = field(default_factory=dict)


def predict_arguments(documents: Path, output: Path, *more: str) -> list[str]:
    return ["bulk", str(documents / "**" / "*.txt"), "--output", str(output), *more]


def with_workers(engine: str, workers: int) -> tuple[str, ...]:
    return "--engine", engine, "--workers", str(workers)


def start(arguments: Sequence[str], *, errors: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=errors)


def measured(arguments: Sequence[str]) -> Run:
    """Runs the command to its end; SystemExit with what it said where it fails."""
    found = Run()
    with tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        process = start(arguments, errors=errors)
        ended = 0
        try:
            while True:
                ended, status, usage = os.wait4(process.pid, os.WNOHANG)  # with what its own children took
                if ended:
                    break
                _look(process.pid, found)
                time.sleep(LOOKED_EVERY)
        finally:
            if not ended:
                process.terminate()
        found.seconds = time.perf_counter() - began
        process.returncode = found.code = os.waitstatus_to_exitcode(status)
        found.processor_seconds = usage.ru_utime + usage.ru_stime
        errors.seek(0)
        found.said = errors.read().decode(errors="replace")
    if found.code:
        raise SystemExit(f"disco2 {' '.join(arguments)}\nended with {found.code} and said:\n{found.said}")
    return found


def totals(output: Path) -> dict[str, int]:
    """What a finished run has in its manifest."""
    manifest = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
    return {name: int(manifest[name]) for name in TOTALS} | {"shards": len(manifest["shards"])}


def _look(driver: int, found: Run) -> None:
    found.driver_bytes = max(found.driver_bytes, largest_resident(driver))
    for worker in worker_processes(driver):
        size = largest_resident(worker.pid)
        found.worker_bytes[worker.pid] = max(found.worker_bytes.get(worker.pid, 0), size)
