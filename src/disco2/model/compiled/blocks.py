"""How many rows of a matrix are multiplied at a time.

OpenBLAS multiplies matrices that are small enough without packing them first, and is a fifth faster then at
the sizes that matter here (docs/decisions/006-compiled-composition.md). So a large product is made in blocks
that count as small, unless these would be so thin that calling costs more than packing.
"""

from __future__ import annotations

SMALL = 1_000_000  # multiplications
THINNEST = 32  # rows
MANY = 1024  # rows, where packing pays


def rows_at_a_time(multiplications_a_row: int) -> int:
    """As many rows as make a small product, whose operands then stay in cache; needs no numba itself."""
    block = SMALL // multiplications_a_row // 16 * 16
    return block if block >= THINNEST else MANY
