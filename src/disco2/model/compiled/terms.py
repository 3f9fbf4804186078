"""The terms of the score, added to [n, Y] scores in place."""

from __future__ import annotations

import numpy as np

from disco2.data.batch import Ints
from disco2.model.arrays import Floats
from disco2.model.compiled.jit import compiled


@compiled
def add_features(rows: Ints, columns: Ints, beta: Floats, scores: Floats) -> None:
    """scores[rows[i]] += beta[columns[i]], for every feature that fires. ``beta``: [F, Y], transposed.

    ``rows`` ascend, so four features of one row are added at a time: each sum waits for the one before it.
    """
    labels, i = scores.shape[1], 0
    while i < len(rows):
        row = rows[i]
        if i + 3 < len(rows) and rows[i + 3] == row:
            c0, c1, c2, c3 = columns[i], columns[i + 1], columns[i + 2], columns[i + 3]
            for y in range(labels):
                scores[row, y] += (beta[c0, y] + beta[c1, y]) + (beta[c2, y] + beta[c3, y])
            i += 4
        else:
            column = columns[i]
            for y in range(labels):
                scores[row, y] += beta[column, y]
            i += 1


@compiled
def add_bilinear(
    p: Floats,
    q: Floats,
    first: Floats,
    second: Floats,
    diagonal: Floats,
    rows: Ints,
    weights: Floats,
    left: Floats,
    right: Floats,
    product: Floats,
    scores: Floats,
) -> None:
    """scores[rows[i], y] += weights[i] p_i' A_y q_i, with A_y = sum_r a1_yr a2_yr' + diag(a3_y) (eq. 4).

    ``first`` and ``second`` [K, Y R] and ``diagonal`` [K, Y] are transposed; ``left`` and ``right`` [m, Y R]
    and ``product`` [m, K] are room to work in.
    """
    labels = scores.shape[1]
    rank = first.shape[1] // labels
    np.dot(p, first, left)
    np.dot(q, second, right)
    for i in range(len(p)):
        for k in range(p.shape[1]):
            product[i, k] = p[i, k] * q[i, k]
    by_diagonal = np.dot(product, diagonal)
    for i in range(len(rows)):
        row = rows[i]
        for y in range(labels):
            score = by_diagonal[i, y]
            for r in range(y * rank, (y + 1) * rank):
                score += left[i, r] * right[i, r]
            scores[row, y] += weights[i] * score
