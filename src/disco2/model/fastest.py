"""The fastest code that this installation has: compiled where numba and SciPy are there (extra ``fast``).

The environment variable DISCO2_COMPILED=0 asks for NumPy all the same.
"""

from __future__ import annotations

import logging
import os
from functools import cache
from importlib.util import find_spec

import numpy as np
from numpy.typing import DTypeLike

from disco2.model.composer import Composer, NumPyComposer

log = logging.getLogger(__name__)

NEEDED = ("numba", "scipy")
OFF = ("0", "false", "no", "off")


@cache
def is_installed() -> bool:
    """Whether compiled code can be had. Asking loads it, since what is installed may yet not work."""
    try:
        if not all(map(find_spec, NEEDED)):
            return False
        import disco2.model.compiled.jit  # noqa: F401
    except (
        Exception
    ) as error:  # a numba that does not know this NumPy, for instance, fails in ways of its own
        log.warning("Compiled code can't be used, NumPy does the same more slowly: %s", error)
        return False
    return True


def is_compiled(*dtypes: DTypeLike) -> bool:
    """Whether compiled code is used for arrays of these kinds: all have to be singles."""
    if os.environ.get("DISCO2_COMPILED", "").lower() in OFF:
        return False
    return all(np.dtype(dtype) == np.float32 for dtype in dtypes) and is_installed()


def fastest_composer(*dtypes: DTypeLike) -> Composer:
    """A composer for vectors and parameters of these kinds, with buffers of its own: for one thread."""
    if not is_compiled(*dtypes):
        return NumPyComposer()
    from disco2.model.compiled.composer import CompiledComposer

    return CompiledComposer()
