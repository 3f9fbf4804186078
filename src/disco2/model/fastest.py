"""The fastest code that this installation has: compiled where numba and SciPy are there (extra ``fast``).

The environment variable DISCO2_COMPILED=0 asks for NumPy all the same.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

import numpy as np
from numpy.typing import DTypeLike

from disco2.model.composer import Composer, NumPyComposer


@cache
def is_installed() -> bool:
    """Whether what compiled code needs is there."""
    return find_spec("numba") is not None and find_spec("scipy") is not None


def is_compiled(dtype: DTypeLike = np.float32) -> bool:
    """Whether compiled code is used for numbers of this precision."""
    return np.dtype(dtype) == np.float32 and os.environ.get("DISCO2_COMPILED") != "0" and is_installed()


def fastest_composer(dtype: DTypeLike) -> Composer:
    """A composer for vectors of this precision, with buffers of its own."""
    if not is_compiled(dtype):
        return NumPyComposer()
    from disco2.model.compiled.composer import CompiledComposer

    return CompiledComposer()
