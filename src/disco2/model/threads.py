"""How many threads the matrix products use: one.

Matrices are small here, so further threads cost more than they bring; one thread also gives the same sums in
the same order on every run, and lets several processes train side by side.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

import numpy as np  # noqa: F401  loads the BLAS that is to be limited
from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def single_threaded() -> AbstractContextManager[object]:
    """Run the matrix products inside on one thread."""
    limits: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limits
