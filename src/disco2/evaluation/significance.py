"""Is one system better than another on the same relations, or was it luck? Two-sided tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disco2.errors import InputError
from disco2.evaluation.bootstrap import RESAMPLES, Interval


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test; ``statistic`` is chi squared with continuity correction, for ``p_corrected``."""

    only_first: int  # relations that only the first system got right
    only_second: int
    statistic: float
    p_corrected: float
    p_exact: float


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    """The difference in accuracy (first minus second), its 95% interval, and how likely luck explains it."""

    difference: float
    interval: Interval
    p: float


def sign_test(wins: int, losses: int) -> float:
    """The probability of a split at least as uneven if wins and losses were equally likely; ties don't count.

    Exact: ``min(1, 2 sum_{k <= min(wins, losses)} C(n, k) / 2^n)`` with ``n = wins + losses``.
    """
    if wins < 0 or losses < 0:
        raise InputError("A count can't be negative.", hint="Give the numbers of wins and of losses.")
    n, fewer = wins + losses, min(wins, losses)
    ways, total = 1, 1  # C(n, k), and the sum up to k
    for k in range(1, fewer + 1):
        ways = ways * (n - k + 1) // k
        total += ways
    everything: int = 2**n
    return min(1.0, 2 * total / everything)


def mcnemar(first_correct: Sequence[bool], second_correct: Sequence[bool]) -> McNemar:
    """Compare two systems by the relations on which exactly one of them is right (McNemar 1947).

    The corrected statistic is ``(|b - c| - 1)² / (b + c)`` (Edwards 1948), with one degree of freedom. The
    exact test is the sign test on b and c; use it where b + c is below 25.
    """
    first, second = _pair(first_correct, second_correct)
    only_first = int((first > second).sum())
    only_second = int((second > first).sum())
    discordant = only_first + only_second
    gap = max(abs(only_first - only_second) - 1, 0)
    statistic = gap * gap / discordant if discordant else 0.0
    return McNemar(
        only_first,
        only_second,
        statistic,
        p_corrected=math.erfc(math.sqrt(statistic / 2)),
        p_exact=sign_test(only_first, only_second),
    )


def paired_bootstrap(
    first_right: ArrayLike, second_right: ArrayLike, *, seed: int, resamples: int = RESAMPLES
) -> PairedBootstrap:
    """Resample the relations and see how often the difference in accuracy changes its sign (Koehn 2004).

    The values say of each relation whether it was labelled right, or in which share of several runs it was.
    Only how often each difference occurs matters, so these counts are drawn, not relations. ``p`` is twice
    the smaller share of resamples on either side of zero, zero included, and never exactly 0.
    """
    first, second = _pair(first_right, second_right)
    n = len(first)
    distinct, counts = np.unique((first - second).round(12), return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, size=resamples)
    gaps = (drawn @ distinct / n).round(12)
    smaller = min(int((gaps <= 0).sum()), int((gaps >= 0).sum()))
    low, high = np.quantile(gaps, [0.025, 0.975])
    return PairedBootstrap(
        difference=float((first - second).mean()),
        interval=(float(low), float(high)),
        p=min(1.0, 2 * (smaller + 1) / (resamples + 1)),
    )


def _pair(first_right: ArrayLike, second_right: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first = np.asarray(first_right, dtype=np.float64)
    second = np.asarray(second_right, dtype=np.float64)
    if len(first) != len(second) or not len(first):
        raise InputError(
            f"{len(first)} and {len(second)} answers can't be compared.",
            hint="Both systems must have answered the same relations.",
        )
    return first, second
