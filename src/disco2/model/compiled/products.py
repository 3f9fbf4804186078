"""Matrix products in blocks of rows.

OpenBLAS multiplies matrices that are small enough without packing them first, and is a fifth faster then at
the sizes that matter here (docs/decisions/006-compiled-composition.md). So a large product is made in blocks
that count as small, unless these would be so thin that calling costs more than packing.
"""

from __future__ import annotations

import numpy as np

from disco2.model.arrays import Floats
from disco2.model.compiled.jit import compiled

SMALL = 1_000_000  # multiplications
THINNEST = 32  # rows
MANY = 1024  # rows, where packing pays


@compiled
def rows_at_a_time(operations_a_row: int) -> int:
    """How many rows to multiply at a time, so that the product is small and what it needs stays in cache."""
    block = SMALL // operations_a_row // 16 * 16
    return block if block >= THINNEST else MANY


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
