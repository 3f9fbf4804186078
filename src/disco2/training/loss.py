"""Losses over scores: each returns the loss of a batch and its gradient [n, Y] by the scores.

The loss of a batch is sum_i w_i l_i / n: example i with loss l_i counts by its weight w_i, and n is the
number of examples, whatever they weigh.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from disco2.data.batch import Batch
from disco2.model.arrays import Floats

Loss = Callable[[Floats, Batch], tuple[float, Floats]]


def large_margin(scores: Floats, batch: Batch) -> tuple[float, Floats]:
    """l = sum over y' != y* of max(0, 1 - psi(y*) + psi(y')) (paper, eq. 6)."""
    rows = np.arange(batch.size)
    margins = 1 - scores[rows, batch.labels][:, None] + scores
    margins[rows, batch.labels] = 0
    violated = (margins > 0).astype(scores.dtype)
    violated[rows, batch.labels] = -violated.sum(axis=1)
    weights = batch.weights[:, None]
    return float((np.maximum(margins, 0) * weights).sum()) / batch.size, violated * weights / batch.size


def logistic(scores: Floats, batch: Batch) -> tuple[float, Floats]:
    """l = -log softmax of the right label: not the paper's, for comparison."""
    rows = np.arange(batch.size)
    shifted = scores - scores.max(axis=1, keepdims=True)
    odds = np.exp(shifted)
    totals = odds.sum(axis=1, keepdims=True)
    gradient = odds / totals
    gradient[rows, batch.labels] -= 1
    losses = np.log(totals[:, 0]) - shifted[rows, batch.labels]
    return float((losses * batch.weights).sum()) / batch.size, gradient * batch.weights[:, None] / batch.size


LOSSES: dict[str, Loss] = {"large-margin": large_margin, "logistic": logistic}
