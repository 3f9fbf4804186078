"""Loaded by the workers that a driver starts for itself: they end with it."""

from __future__ import annotations

import os

from disco2.engines.processes import begin_as_worker

DRIVER = "DISCO2_DRIVER"  # the variable that tells a worker whose end is its own


def dask_setup(worker: object) -> None:
    """Dask calls this when the worker starts."""
    begin_as_worker(int(os.environ[DRIVER]))
