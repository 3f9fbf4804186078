"""How processor time grows with the size of the work: a ratio within one run, whatever the machine does."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 8  # how much larger the large piece of work is
LINEAR = 32.0  # linear work grows by 8, quadratic work by 64


def growth(work: Callable[[int], object], size: int) -> float:
    """Time for ``TIMES * size`` over time for ``size``; the best of three, so that hiccups do not count."""
    small, large = (min(_seconds(work, units) for _ in range(3)) for units in (size, TIMES * size))
    return large / max(small, 1e-6)


def _seconds(work: Callable[[int], object], units: int) -> float:
    started = time.process_time()
    work(units)
    return time.process_time() - started
