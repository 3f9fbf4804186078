"""``disco2 bulk`` in a process of its own, measured from outside; and a comparison of its outputs."""

from __future__ import annotations

import hashlib
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

import psutil

PROGRAM = (sys.executable, "-c", "from disco2.interfaces.cli import main; main()")
POLL_SECONDS = 0.2
TOTALS = ("documents", "sentences", "relations", "errors")
_NO_WORKERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


@dataclass
class Run:
    """What a command took: seconds, processor seconds with its workers, and bytes at their largest."""

    seconds: float = 0.0
    processor_seconds: float = 0.0
    driver_bytes: int = 0
    worker_bytes: dict[int, int] = field(default_factory=dict)


def bulk_arguments(documents: Path, output: Path, engine: str, workers: int, *more: str) -> list[str]:
    pattern = str(documents / "**" / "*.txt")
    return ["bulk", pattern, "--output", str(output), "--engine", engine, "--workers", str(workers), *more]


def start(arguments: Sequence[str], *, errors: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=errors)


def measured(arguments: Sequence[str]) -> Run:
    """Run the command to its end; SystemExit with its messages if it fails."""
    found = Run()
    with tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        process = start(arguments, errors=errors)
        ended = 0
        try:
            while True:
                ended, status, usage = os.wait4(process.pid, os.WNOHANG)  # includes its children
                if ended:
                    break
                found.driver_bytes = max(found.driver_bytes, _largest_resident(process.pid))
                for worker in worker_processes(process.pid):
                    size = _largest_resident(worker.pid)
                    found.worker_bytes[worker.pid] = max(found.worker_bytes.get(worker.pid, 0), size)
                time.sleep(POLL_SECONDS)
        finally:
            if not ended:
                process.terminate()
        found.seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        found.processor_seconds = usage.ru_utime + usage.ru_stime
        errors.seek(0)
        if process.returncode:
            said = errors.read().decode(errors="replace")
            raise SystemExit(f"disco2 {' '.join(arguments)}\nended with {process.returncode}:\n{said}")
    return found


def totals(output: Path) -> dict[str, int]:
    """The totals in the manifest of a finished run."""
    manifest = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
    return {name: int(manifest[name]) for name in TOTALS} | {"shards": len(manifest["shards"])}


def worker_processes(parent: int) -> list[psutil.Process]:
    """All processes below ``parent`` that do its work."""
    try:
        below = psutil.Process(parent).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [process for process in below if _works(process)]


def _works(process: psutil.Process) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return not any(name in word for word in process.cmdline() for name in _NO_WORKERS)
    except psutil.Error:
        return False


def _largest_resident(process: int) -> int:
    """The largest resident size so far, in bytes; 0 if the process is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file below the folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def differences(one: Path, other: Path) -> list[str]:
    """A line for each file that is not the same in both folders."""
    first, second = digests(one), digests(other)
    return [f"differs: {name}" for name in sorted(first | second) if first.get(name) != second.get(name)]


def total_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
