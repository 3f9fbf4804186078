"""Intervals and tests of significance against worked examples and slow twins."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.errors import InputError
from disco2.evaluation.significance import (
    bootstrap_interval,
    mcnemar,
    paired_bootstrap,
    sign_test,
    wilson_interval,
)


def test_wilson_worked_example() -> None:
    # 8 of 10: (0.8 + 3.8415/20 ± 1.96 sqrt(0.16/10 + 3.8415/400)) / (1 + 3.8415/10)
    assert wilson_interval(8, 10) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert wilson_interval(0, 10)[0] == 0.0
    assert wilson_interval(10, 10)[1] == 1.0
    assert wilson_interval(0, 10)[1] == pytest.approx(0.2775328, abs=1e-6)


@given(st.integers(1, 500), st.data())
def test_wilson_solves_its_equation(n: int, data: st.DataObject) -> None:
    """Its ends are the shares whose distance from the observed one is z standard errors."""
    correct = data.draw(st.integers(0, n))
    for end in wilson_interval(correct, n):
        assert 0 <= end <= 1
        if 0 < end < 1:
            distance = abs(correct / n - end) / math.sqrt(end * (1 - end) / n)
            assert distance == pytest.approx(1.959964, abs=1e-4)


def slow_bootstrap(values: list[float], *, seed: int, resamples: int) -> tuple[float, float]:
    """Draw relation by relation."""
    generator = random.Random(seed)  # noqa: S311
    n = len(values)
    means = sorted(sum(generator.choices(values, k=n)) / n for _ in range(resamples))
    return means[int(0.025 * resamples)], means[int(0.975 * resamples)]


@pytest.mark.parametrize(
    "values",
    [
        [1.0] * 42 + [0.0] * 18,
        [0.0, 1 / 3, 2 / 3, 1.0] * 20,  # the share of three seeds that got a relation right
    ],
)
def test_bootstrap_against_drawing_relations(values: list[float]) -> None:
    fast = bootstrap_interval(values, seed=3)
    assert fast == pytest.approx(slow_bootstrap(values, seed=3, resamples=3000), abs=0.02)


@pytest.mark.parametrize("values", [[], [[True]], [2.0], [-0.5], [math.nan]])
def test_nothing_to_resample(values: list[float]) -> None:
    with pytest.raises(InputError):
        bootstrap_interval(values, seed=1)


def test_sign_test_by_hand() -> None:
    assert sign_test(9, 1) == pytest.approx(2 * (1 + 10) / 1024)
    assert sign_test(1, 9) == sign_test(9, 1)
    assert sign_test(5, 5) == 1.0
    assert sign_test(0, 0) == 1.0
    assert sign_test(0, 6) == pytest.approx(2 / 64)
    assert 0 < sign_test(1100, 900) < 1e-4  # large counts neither overflow nor vanish


@given(st.integers(0, 40), st.integers(0, 40))
def test_sign_test_against_summing_the_tail(wins: int, losses: int) -> None:
    n = wins + losses
    tail = sum(math.comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n
    assert sign_test(wins, losses) == pytest.approx(min(1.0, 2 * tail))


def answers(both: int, first: int, second: int, neither: int) -> tuple[list[bool], list[bool]]:
    one = [True] * (both + first) + [False] * (second + neither)
    other = [True] * both + [False] * first + [True] * second + [False] * neither
    return one, other


def test_mcnemar_by_hand() -> None:
    assert mcnemar(*answers(50, 25, 10, 15)) == sign_test(25, 10)
    # Twice the sum of C(35, 0) to C(35, 10), over 2^35.
    assert mcnemar(*answers(50, 25, 10, 15)) == pytest.approx(0.016674, abs=1e-6)
    assert mcnemar(*answers(5, 0, 0, 5)) == 1.0
    assert mcnemar(*answers(5, 1, 1, 5)) == 1.0


def test_paired_bootstrap_against_drawing_relations() -> None:
    one, other = answers(60, 25, 12, 23)
    fast = paired_bootstrap(one, other, seed=2)
    assert fast.difference == pytest.approx(13 / 120)
    generator = np.random.default_rng(5)
    gaps = np.array(one, dtype=int) - np.array(other, dtype=int)
    slow = np.array([gaps[generator.integers(0, 120, size=120)].sum() for _ in range(4000)])
    assert fast.p == pytest.approx(2 * min((slow <= 0).mean(), (slow >= 0).mean()), abs=0.015)
    assert fast.interval == pytest.approx(np.quantile(slow / 120, [0.025, 0.975]), abs=0.015)
    assert paired_bootstrap(one, other, seed=2) == fast


def test_answers_that_can_not_be_compared() -> None:
    for one, other in (([True], [True, False]), ([], [])):
        with pytest.raises(InputError):
            mcnemar(one, other)
        with pytest.raises(InputError):
            paired_bootstrap(one, other, seed=1)
