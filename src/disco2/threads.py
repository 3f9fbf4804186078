"""Number of threads for matrix products: one. Every such setting is in this module.

Matrices are small here, so further threads cost more than they bring; one thread also adds up in the same
order in every run. ``single_threaded`` is for all our code that multiplies matrices; it restores the user's
settings at the end. ``limit_this_process`` is for our own processes: the command line and its workers.
docs/decisions/005-threads.md has the figures.
"""

from __future__ import annotations

import math
import os
import sys
from contextlib import ContextDecorator, ExitStack
from pathlib import Path
from threading import Lock
from typing import Any

# Environment variables of BLAS libraries; the last two are also for PyTorch.
PRODUCTS = ("OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
EVERYTHING = (*PRODUCTS, "MKL_NUM_THREADS", "OMP_NUM_THREADS")
# Modules that load their own BLAS. Compiled code uses SciPy's.
CARRIERS = ("numpy", "scipy.linalg")
CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a Linux container: "QUOTA PERIOD" or "max PERIOD"


class SingleThreaded(ContextDecorator):
    """A reentrant context: the first entry limits the threads, the last exit restores them.

    It may be entered in several threads at once. A library loaded meanwhile is limited at the next entry.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limits = ExitStack()
        self._loaded: list[str] = []
        self._controller: Any = None  # of threadpoolctl

    def __enter__(self) -> None:
        with self._lock:
            loaded = [name for name in CARRIERS if name in sys.modules]
            fresh = self._controller is None or loaded != self._loaded
            if fresh:  # looking for libraries takes a millisecond
                import numpy as np  # noqa: F401  loads the BLAS to limit
                from threadpoolctl import ThreadpoolController

                self._loaded = [name for name in CARRIERS if name in sys.modules]
                self._controller = ThreadpoolController()
            if fresh or not self._inside:
                self._take_control()
                self._limits.enter_context(self._controller.limit(limits=1, user_api="blas"))
            self._inside += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._take_control()
                self._limits.close()

    def renew_lock(self) -> None:
        """Called in a new process, which has but one thread."""
        self._lock = Lock()

    def _take_control(self) -> None:
        """threadpoolctl 3.7 and later heed the thread that set a limit alone; here any may come or go."""
        for library in self._controller.lib_controllers:
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread(force=True)


_single_threaded = SingleThreaded()
if hasattr(os, "register_at_fork"):  # another thread may hold the lock when a process is forked
    os.register_at_fork(after_in_child=_single_threaded.renew_lock)


def single_threaded() -> SingleThreaded:
    """Run the matrix products inside on one thread; for a block or, as a decorator, for a function."""
    return _single_threaded


def limit_this_process(*, everything: bool = False) -> None:
    """From now on matrix products use one thread in this process and in those it starts.

    Cheap before NumPy is imported: only environment variables are set. ``everything``: PyTorch and OpenMP
    too, for one process of several; alone, an annotator that runs on PyTorch may use all cores.
    """
    os.environ.update(dict.fromkeys(EVERYTHING if everything else PRODUCTS, "1"))
    if everything:
        os.environ["TOKENIZERS_PARALLELISM"] = "false"  # the package tokenizers
    if "numpy" in sys.modules:
        from threadpoolctl import threadpool_limits

        threadpool_limits(limits=1, user_api=None if everything else "blas")
    if everything and "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def available_cores(*, quota_file: Path = CPU_QUOTA) -> int:
    """Number of cores that this process may use: its CPU affinity, limited by the quota of its container."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    try:
        quota, period = map(int, quota_file.read_text().split())
    except (OSError, ValueError):  # no such file, or no limit
        return cores
    return min(cores, max(1, math.ceil(quota / period))) if period > 0 else cores
