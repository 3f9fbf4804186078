"""How functions are compiled here.

Compiled code is kept on disk beside the source, or in the user's cache where that can't be written to, so it
is made once for a machine; where neither can be, it is made in every process. It is made anew when the file
of the function changes, but not when that of a function it calls does: who works on these files should point
NUMBA_CACHE_DIR to an empty folder, as the tests do.

Sums may be reordered and multiplications joined with additions: that is where the speed comes from, and why
results differ from NumPy's in the last digits. Matrix products are BLAS's own (``np.dot`` on contiguous
arrays, which numba takes from SciPy).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba
import scipy.linalg  # noqa: F401  the BLAS of np.dot in compiled code; loaded now, so that threads knows of it

_P = ParamSpec("_P")
_R = TypeVar("_R")

_FREEDOM = {"contract", "reassoc", "arcp", "nsz"}  # not "nnan" or "ninf": a runaway must stay visible


def compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function as machine code; it takes contiguous arrays and does not check indices."""
    try:
        return _compiled(function, cache=True)
    except RuntimeError:  # there is no place for the cache
        return _compiled(function, cache=False)


def _compiled(function: Callable[_P, _R], *, cache: bool) -> Callable[_P, _R]:
    made: Callable[_P, _R] = numba.njit(cache=cache, error_model="numpy", fastmath=_FREEDOM)(function)
    return made
