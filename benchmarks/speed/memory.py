"""Peak memory of a piece of work: what it holds at most above what stood before it began.

Python's own trace of allocations (``tracemalloc``), which NumPy's arrays are part of: the figure is the same
in every run and does not depend on what the process did before, as the resident size would. Buffers that the
work keeps for later count, so the work should be made anew inside. Memory that a BLAS library or compiled
code takes by itself does not count. Tracing makes the work slow, so it is a pass apart from all timing.

Where a whole process is measured, it is the largest resident size of a new one instead.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path


def peak_bytes(work: Callable[[], object]) -> int:
    """The largest number of bytes in use while it runs, less those in use before."""
    gc.collect()
    tracemalloc.start()
    try:
        kept = work()
        peak = tracemalloc.get_traced_memory()[1]
        del kept
    finally:
        tracemalloc.stop()
    return peak


def resident_bytes(code: str) -> int:
    """The largest resident size of a new process that runs the code, Python and all."""
    asked = f"{code}\nfrom benchmarks.speed.memory import own_resident_bytes\nprint(own_resident_bytes())"
    done = subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1])


def own_resident_bytes() -> int:
    """This process's largest resident size so far.

    Linux gives a new process the ``ru_maxrss`` of the one that started it, so ``VmHWM`` comes first.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    import resource  # not on Windows

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest * (1 if sys.platform == "darwin" else 1024)
