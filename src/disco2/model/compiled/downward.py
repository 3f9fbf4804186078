"""Composition down to the mentions, their sums, and the gradients, for a whole batch in one call each."""

from __future__ import annotations

import numpy as np

from disco2.data.batch import Ints
from disco2.model.arrays import Floats
from disco2.model.compiled.jit import compiled
from disco2.model.compiled.products import multiply_transposed, rows_at_a_time
from disco2.model.compiled.tanh import tanh_rows


@compiled
def downward(parents: Ints, levels: Ints, VT: Floats, joined: Floats, down: Floats) -> None:
    """d_i = tanh(V [d_parent; u_sibling]) (paper, eq. 2). VT: [2K, K], V transposed. ``levels``: [levels, 3].

    ``down`` [roots + down, K] begins with the roots' vectors; the right half of ``joined`` [down, 2K] holds
    the siblings'. Fills the rest of both.
    """
    K = VT.shape[1]
    roots = len(down) - len(parents)
    block = rows_at_a_time(VT.size)
    for level in range(len(levels)):
        for begin in range(levels[level, 0], levels[level, 2], block):
            end = min(begin + block, levels[level, 2])
            for node in range(begin, end):
                parent = parents[node]
                for k in range(K):
                    joined[node, k] = down[parent, k]
            np.dot(joined[begin:end], VT, down[roots + begin : roots + end])
            tanh_rows(down[roots + begin : roots + end])


@compiled
def downward_gradient(
    parents: Ints,
    levels: Ints,
    V: Floats,
    joined: Floats,
    down: Floats,
    d_down: Floats,
    delta: Floats,
    d_joined: Floats,
    partial: Floats,
    dV: Floats,
) -> None:
    """dL/dV, [K, 2K], given dL/dd at the mentions in ``d_down`` [roots + down, K], which is used up.

    Leaves the gradients of the roots in its first rows, and those of the siblings in the right half of
    ``d_joined`` [down, 2K]. ``delta`` [down, K] and ``partial`` [K, 2K] are room to work in.
    """
    K = len(V)
    roots = len(down) - len(parents)
    block = rows_at_a_time(V.size)
    for level in range(len(levels) - 1, -1, -1):
        for begin in range(levels[level, 0], levels[level, 2], block):
            end = min(begin + block, levels[level, 2])
            for node in range(begin, end):
                for k in range(K):
                    d = down[roots + node, k]
                    delta[node, k] = d_down[roots + node, k] * (1 - d * d)
            np.dot(delta[begin:end], V, d_joined[begin:end])
            for node in range(begin, end):
                parent = parents[node]
                for k in range(K):
                    d_down[parent, k] += d_joined[node, k]
    multiply_transposed(delta, joined, partial, dV)


@compiled
def copy_rows(source: Floats, places: Ints, rows: Ints, begin: int, to: Floats) -> None:
    """to[i, begin : begin + K] = source[places[rows[i]]]."""
    K = source.shape[1]
    for row in range(len(rows)):
        place = places[rows[row]]
        for k in range(K):
            to[row, begin + k] = source[place, k]


@compiled
def sum_mentions(down: Floats, rows: Ints, starts: Ints, sizes: Ints, sums: Floats) -> None:
    """sums[l] = sum of a link's mention vectors: [links, K]."""
    K = down.shape[1]
    sums[:] = 0
    for link in range(len(starts)):
        for entry in range(starts[link], starts[link] + sizes[link]):
            row = rows[entry]
            for k in range(K):
                sums[link, k] += down[row, k]


@compiled
def spread_to_mentions(d_sums: Floats, rows: Ints, starts: Ints, sizes: Ints, d_down: Floats) -> None:
    """The way back: adds each link's gradient [links, K] to all its mentions' rows."""
    K = d_down.shape[1]
    for link in range(len(starts)):
        for entry in range(starts[link], starts[link] + sizes[link]):
            row = rows[entry]
            for k in range(K):
                d_down[row, k] += d_sums[link, k]
