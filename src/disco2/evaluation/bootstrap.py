"""How far an accuracy may be off: intervals by resampling, and by Wilson's formula."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from disco2.errors import InputError

Interval = tuple[float, float]
RESAMPLES = 10_000


def bootstrap_interval(
    right: ArrayLike, *, seed: int, level: float = 0.95, resamples: int = RESAMPLES
) -> Interval:
    """The percentile bootstrap interval of the mean of ``right`` (Efron & Tibshirani 1993).

    ``right`` says of each relation whether it was labelled right, or in which share of several runs it was.
    A resample draws n relations with replacement. Relations with the same value are as good as each other,
    so it is drawn how often each value occurs, a multinomial number, and not relation by relation.
    """
    values = np.asarray(right, dtype=np.float64)
    _check_level(level)
    if values.ndim != 1 or not values.size or not ((values >= 0) & (values <= 1)).all():
        raise InputError(
            "There is no accuracy to put an interval around.", hint="Give one number from 0 to 1 a relation."
        )
    distinct, counts = np.unique(values, return_counts=True)
    n = len(values)
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, size=resamples)  # [resamples, distinct]
    low, high = np.quantile(drawn @ distinct / n, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def f1_interval(
    gold: ArrayLike, found: ArrayLike, *, seed: int, level: float = 0.95, resamples: int = RESAMPLES
) -> Interval:
    """The percentile bootstrap interval of F1 = 2 tp / (2 tp + fp + fn), averaged over runs.

    ``gold`` [n] says which relations have the class, ``found`` [runs, n] which ones each run gave it to.
    Relations with the same row of both are as good as each other, as in ``bootstrap_interval``.
    """
    _check_level(level)
    wanted, given = np.asarray(gold, dtype=bool), np.asarray(found, dtype=bool)
    if wanted.ndim != 1 or not wanted.size or given.ndim != 2 or given.shape[1] != wanted.size:
        raise InputError(
            "There is no F1 to put an interval around.", hint="Give answers to the same relations."
        )
    patterns, counts = np.unique(np.vstack([wanted, given]), axis=1, return_counts=True)
    wanted, given = patterns[0], patterns[1:]
    n = int(counts.sum())
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, size=resamples)  # [resamples, patterns]
    both = drawn @ (wanted & given).T  # [resamples, runs]
    either = drawn @ given.T + (drawn @ wanted)[:, None]
    f1 = (2 * both / np.maximum(either, 1)).mean(axis=1)
    low, high = np.quantile(f1, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def wilson_interval(correct: int, n: int, *, level: float = 0.95) -> Interval:
    """Wilson's (1927) score interval, which stays sensible for small n and near 0 and 1.

    ``(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)`` with ``p = correct / n``.
    """
    _check_level(level)
    if n < 1 or not 0 <= correct <= n:
        raise InputError(f"{correct} right of {n} is no accuracy.", hint="Give counts of relations.")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = correct / n
    centre = share + z * z / (2 * n)
    margin = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = (centre - margin) / scale if correct > 0 else 0.0  # exact, where rounding would miss it
    high = (centre + margin) / scale if correct < n else 1.0
    return low, high


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"{level} is no confidence level.", hint="Give a number between 0 and 1.")
