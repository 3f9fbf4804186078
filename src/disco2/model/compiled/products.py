"""Matrix products in blocks of rows: see ``blocks``."""

from __future__ import annotations

import numpy as np

from disco2.model.arrays import Floats
from disco2.model.compiled import blocks
from disco2.model.compiled.jit import compiled

rows_at_a_time = compiled(blocks.rows_at_a_time)


@compiled
def multiply_transposed(left: Floats, right: Floats, partial: Floats, out: Floats) -> None:
    """out = left' right: [n, m]' x [n, k]. ``partial`` [m, k] is room to work in."""
    block = rows_at_a_time(out.size)
    out[:] = 0
    for begin in range(0, len(left), block):
        end = min(begin + block, len(left))
        np.dot(left[begin:end].T, right[begin:end], partial)
        for i in range(len(out)):
            for j in range(out.shape[1]):
                out[i, j] += partial[i, j]
