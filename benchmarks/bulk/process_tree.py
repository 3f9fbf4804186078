"""The processes that a process has started, and how large each has ever been."""

from __future__ import annotations

from pathlib import Path

import psutil

_NO_WORKERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def worker_processes(parent: int) -> list[psutil.Process]:
    """All below ``parent`` that do its work; Python's own attendants are none of them."""
    try:
        below = psutil.Process(parent).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [process for process in below if _works(process)]


def largest_resident(process: int) -> int:
    """The largest resident size so far, in bytes; 0 where the process is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return _resident(process)
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def _resident(process: int) -> int:
    """What it has now, where the system keeps no record."""
    try:
        return int(psutil.Process(process).memory_info().rss)
    except psutil.Error:
        return 0


def _works(process: psutil.Process) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return not any(name in word for word in process.cmdline() for name in _NO_WORKERS)
    except psutil.Error:
        return False
