"""The temperature that makes a trained model's probabilities fit what it gets right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.data.batch import Floats
from disco2.errors import InputError

COLDEST, HOTTEST = 0.05, 20.0  # where a temperature is looked for
ENOUGH = 100  # relations; fewer may all be right, or wrong, by chance, so that a prior is used
_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 60


Gold = Sequence[int] | NDArray[np.integer[Any]]


def fit_temperature(scores: Floats, gold: Gold) -> tuple[float, float]:
    """The temperature with the least mean -log p(gold), and that mean.

    For scores [n, Y] and the labels' numbers [n]. The mean is convex in 1 / T, so it has one valley in log T
    as well: golden-section search finds it. Fewer than ``ENOUGH`` relations are taken with a prior on log T
    around 0, the broader the more there are: a few right answers are no reason to be certain ever after.
    """
    labels = np.asarray(gold, dtype=np.int64)
    if scores.ndim != 2 or labels.shape != scores.shape[:1] or not len(labels):
        raise InputError(
            f"{labels.size} gold labels do not fit scores of shape {scores.shape}.",
            hint="Give one label's number for each row.",
        )
    if labels.min() < 0 or labels.max() >= scores.shape[1]:
        raise InputError("A gold label has no column in the scores.", hint="Leave unknown labels out.")
    prior = max(0.0, 1 - len(labels) / ENOUGH) / (2 * math.log(2) ** 2 * len(labels))
    margins = scores.astype(np.float64)
    margins -= margins[np.arange(len(labels)), labels][:, None]

    def loss(log_temperature: float) -> float:
        hot = margins / math.exp(log_temperature)
        top = hot.max(axis=1, keepdims=True)
        mean = float((np.log(np.exp(hot - top).sum(axis=1)) + top[:, 0]).mean())
        return mean + prior * log_temperature**2

    low, high = math.log(COLDEST), math.log(HOTTEST)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = loss(left), loss(right)
    for _ in range(_STEPS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = loss(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = loss(right)
    best = (low + high) / 2
    return math.exp(best), loss(best)
