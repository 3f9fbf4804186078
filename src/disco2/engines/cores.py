"""How many processes can really run side by side on this machine."""

from __future__ import annotations

import math
import os
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")  # where Linux tells a container what it may use
# Both generations of them: microseconds of processor time, and within how many.
QUOTAS = (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"))


def available_cores(*, groups: Path = GROUPS) -> int:
    """The cores that this process may use: all of the machine, or what a container was given of it."""
    allowed = getattr(os, "sched_getaffinity", None)
    cores = len(allowed(0)) if allowed is not None else os.cpu_count() or 1
    for files in QUOTAS:
        try:
            quota, period = map(int, " ".join((groups / file).read_text() for file in files).split())
        except (OSError, ValueError):  # there is no such file, or it says that there is no limit
            continue
        if quota > 0 and period > 0:
            cores = min(cores, math.ceil(quota / period))
    return cores
