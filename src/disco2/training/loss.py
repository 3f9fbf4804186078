"""Losses over scores: each returns the mean loss of a batch and its gradient by the scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from disco2.batches import Batch
from disco2.model.arrays import Floats

Loss = Callable[[Floats, Batch], tuple[float, Floats]]


def large_margin(scores: Floats, batch: Batch) -> tuple[float, Floats]:
    """sum over y' != y* of max(0, 1 - psi(y*) + psi(y')) (paper, eq. 6), averaged over the batch."""
    rows = np.arange(batch.size)
    margins = 1 - scores[rows, batch.labels][:, None] + scores
    margins[rows, batch.labels] = 0
    violated = (margins > 0).astype(scores.dtype)
    violated[rows, batch.labels] = -violated.sum(axis=1)
    return float(np.maximum(margins, 0).sum()) / batch.size, violated / batch.size


def logistic(scores: Floats, batch: Batch) -> tuple[float, Floats]:
    """-log softmax of the right label, averaged over the batch: not the paper's, for comparison."""
    rows = np.arange(batch.size)
    shifted = scores - scores.max(axis=1, keepdims=True)
    odds = np.exp(shifted)
    totals = odds.sum(axis=1, keepdims=True)
    gradient = odds / totals
    gradient[rows, batch.labels] -= 1
    loss = float((np.log(totals[:, 0]) - shifted[rows, batch.labels]).sum())
    return loss / batch.size, gradient / batch.size


LOSSES: dict[str, Loss] = {"large-margin": large_margin, "logistic": logistic}
