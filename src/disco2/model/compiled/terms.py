"""The terms of the score, added to [n, Y] scores in place."""

from __future__ import annotations

import numpy as np

from disco2.batches.batch import Ints
from disco2.model.arrays import Floats
from disco2.model.compiled.jit import compiled


@compiled
def add_features(rows: Ints, columns: Ints, beta: Floats, scores: Floats) -> None:
    """scores[rows[i]] += beta[columns[i]], for every feature that fires. ``beta``: [F, Y], transposed."""
    for i in range(len(rows)):
        row, column = rows[i], columns[i]
        for y in range(scores.shape[1]):
            scores[row, y] += beta[column, y]


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
