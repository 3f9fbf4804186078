"""Intervals of an accuracy, and tests whether one system is better than another on the same relations.

Intervals by resampling and by Wilson's formula; two-sided tests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disco2.errors import InputError

Interval = tuple[float, float]
RESAMPLES = 10_000
LEVELS = (0.025, 0.975)  # of a 95% interval


def bootstrap_interval(right: ArrayLike, *, seed: int) -> Interval:
    """The 95% percentile bootstrap interval of the mean of ``right`` (Efron & Tibshirani 1993).

    ``right`` says of each relation whether it was labelled right, or in which share of several runs it was.
    A resample draws n relations with replacement. Only the number of relations with each value matters, so
    these counts are drawn from a multinomial distribution.
    """
    values = np.asarray(right, dtype=np.float64)
    if values.ndim != 1 or not values.size or not ((values >= 0) & (values <= 1)).all():
        raise InputError(
            "There is no accuracy to compute an interval of.", hint="Give one number from 0 to 1 a relation."
        )
    distinct, counts = np.unique(values, return_counts=True)
    return interval_of(draw_counts(counts, seed=seed) @ distinct / len(values))


def draw_counts(counts: NDArray[np.integer[Any]], *, seed: int, size: int = RESAMPLES) -> NDArray[np.int64]:
    """[size, k]: how often each of k distinct values, with these counts, occurs in each resample."""
    n = int(counts.sum())
    return np.random.default_rng(seed).multinomial(n, counts / n, size=size)


def interval_of(resampled: NDArray[np.float64]) -> Interval:
    """The 95% percentile interval of a figure from its values in all resamples."""
    low, high = np.quantile(resampled, LEVELS)
    return float(low), float(high)


def f1_interval(gold: ArrayLike, found: ArrayLike, *, seed: int) -> Interval:
    """The 95% percentile bootstrap interval of F1 = 2 tp / (2 tp + fp + fn), averaged over runs.

    ``gold`` [n] says which relations have the class, ``found`` [runs, n] which ones each run gave it to.
    Only the number of relations with each combination matters, as in ``bootstrap_interval``.
    """
    both_kinds = np.vstack([np.asarray(gold, dtype=bool), np.asarray(found, dtype=bool)])
    patterns, counts = np.unique(both_kinds, axis=1, return_counts=True)
    wanted, given = patterns[0], patterns[1:]
    drawn = draw_counts(counts, seed=seed)
    both = drawn @ (wanted & given).T  # [RESAMPLES, runs]
    either = drawn @ given.T + (drawn @ wanted)[:, None]
    return interval_of((2 * both / np.maximum(either, 1)).mean(axis=1))


def wilson_interval(correct: int, n: int) -> Interval:
    """Wilson's (1927) 95% score interval, which stays sensible for small n and near 0 and 1.

    ``(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)`` with ``p = correct / n``.
    """
    if n < 1 or not 0 <= correct <= n:
        raise InputError(f"{correct} right of {n} is no accuracy.", hint="Give counts of relations.")
    z, share = NormalDist().inv_cdf(LEVELS[1]), correct / n
    centre = share + z * z / (2 * n)
    margin = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # Exact at both ends, where rounding would miss it.
    return (centre - margin) / scale if correct else 0.0, (centre + margin) / scale if correct < n else 1.0


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    """The difference in accuracy (first minus second), its 95% interval, and its p."""

    difference: float
    interval: Interval
    p: float


def sign_test(wins: int, losses: int) -> float:
    """The probability of a split at least as uneven if wins and losses were equally likely; ties don't count.

    Exact: ``min(1, 2 sum_{k <= min(wins, losses)} C(n, k) / 2^n)`` with ``n = wins + losses``.
    """
    n, fewer = wins + losses, min(wins, losses)
    ways, total = 1, 1  # C(n, k), and the sum up to k
    for k in range(1, fewer + 1):
        ways = ways * (n - k + 1) // k
        total += ways
    return min(1.0, 2 * total / (1 << n))


def mcnemar(first_correct: Sequence[bool], second_correct: Sequence[bool]) -> float:
    """The p of McNemar's (1947) exact test: the sign test on the relations that only one system got right."""
    first, second = _pair(first_correct, second_correct)
    return sign_test(int((first > second).sum()), int((second > first).sum()))


def paired_bootstrap(first_right: ArrayLike, second_right: ArrayLike, *, seed: int) -> PairedBootstrap:
    """Resample the relations and see how often the difference in accuracy changes its sign (Koehn 2004).

    The values say of each relation whether it was labelled right, or in which share of several runs it was.
    Only how often each difference occurs matters, so these counts are drawn, not relations. ``p`` is twice
    the smaller share of resamples on either side of zero, zero included, and never exactly 0.
    """
    first, second = _pair(first_right, second_right)
    distinct, counts = np.unique((first - second).round(12), return_counts=True)
    gaps = (draw_counts(counts, seed=seed) @ distinct / len(first)).round(12)
    smaller = min(int((gaps <= 0).sum()), int((gaps >= 0).sum()))
    p = min(1.0, 2 * (smaller + 1) / (RESAMPLES + 1))
    return PairedBootstrap(float((first - second).mean()), interval_of(gaps), p)


def _pair(first_right: ArrayLike, second_right: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first = np.asarray(first_right, dtype=np.float64)
    second = np.asarray(second_right, dtype=np.float64)
    if len(first) != len(second) or not len(first):
        raise InputError(
            f"{len(first)} and {len(second)} answers can't be compared.",
            hint="Both systems must have answered the same relations.",
        )
    return first, second
