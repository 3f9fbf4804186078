"""Chains, and the assignment behind CEAF."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.evaluation.coreference import (
    Chains,
    Score,
    b_cubed,
    best_assignment,
    ceaf_entities,
    mention_detection,
    muc,
    score_coreference,
)

MEASURES = (mention_detection, muc, b_cubed, ceaf_entities)


def chains(*words: str) -> Chains:
    """Chains of one-letter mentions: ``chains("ab", "c")``."""
    return [set(word) for word in words]


def values(score: Score) -> tuple[float, float, float]:
    return score.recall, score.precision, score.f1


# Pradhan et al. (2014), "Scoring Coreference Partitions of Predicted Mentions", section 4.
PAPER = chains("abc", "defg"), chains("ab", "cd", "fghi")
# The cases TC-A of the reference scorer: a key with a singleton, mentions missing, mentions made up.
KEY = chains("a", "bc", "def")
MISSING = KEY, chains("a", "de")
EXTRA = KEY, chains("a", "bcg", "defh", "i")
MIXED = KEY, chains("a", "bcg", "fh", "i")


@pytest.mark.parametrize(
    ("measure", "case", "expected"),
    [
        (muc, PAPER, (2 / 5, 2 / 5)),
        (muc, MISSING, (1 / 3, 1)),
        (muc, EXTRA, (1, 3 / 5)),
        (muc, MIXED, (1 / 3, 1 / 3)),
        (b_cubed, PAPER, (35 / 12 / 7, 1 / 2)),
        (b_cubed, MISSING, (7 / 3 / 6, 1)),
        (b_cubed, EXTRA, (1, (4 + 7 / 12) / 9)),
        (b_cubed, MIXED, (5 / 9, 17 / 42)),
        (ceaf_entities, PAPER, (0.65, 1.3 / 3)),
        (ceaf_entities, MISSING, (0.6, 0.9)),
        (ceaf_entities, EXTRA, (0.88571, 0.66429)),
        (ceaf_entities, MIXED, (0.73333, 0.55)),
    ],
)
def test_the_reference_cases(
    measure: Callable[[Chains, Chains], Score], case: tuple[Chains, Chains], expected: tuple[float, float]
) -> None:
    recall, precision = expected
    f1 = 2 * precision * recall / (precision + recall)
    assert values(measure(*case)) == pytest.approx((recall, precision, f1), abs=1e-5)


def test_documents_are_summed_before_dividing() -> None:
    scores = score_coreference([PAPER, MISSING])
    assert scores.muc.recall == pytest.approx((2 + 1) / (5 + 3))
    assert scores.muc.precision == pytest.approx((2 + 1) / (5 + 1))
    assert scores.ceaf.recall == pytest.approx((1.3 + 1.8) / (2 + 3))
    assert scores.mean == pytest.approx((scores.muc.f1 + scores.b_cubed.f1 + scores.ceaf.f1) / 3)


def test_nothing_to_score_scores_nothing() -> None:
    scores = score_coreference([])
    assert scores.mean == 0.0
    assert score_coreference([([], [])]).mean == 0.0
    assert values(b_cubed(chains("ab"), [])) == (0.0, 0.0, 0.0)
    assert values(ceaf_entities([], chains("ab"))) == (0.0, 0.0, 0.0)


@st.composite
def partitions(draw: st.DrawFn) -> Chains:
    """Chains over some of ten mentions."""
    places = draw(st.lists(st.integers(0, 5), min_size=10, max_size=10))
    found = [{mention for mention, place in enumerate(places) if place == number} for number in range(5)]
    return [chain for chain in found if chain]


@given(partitions(), partitions())
def test_exchanging_the_sides_exchanges_recall_and_precision(first: Chains, second: Chains) -> None:
    for measure in MEASURES:
        there, back = measure(first, second), measure(second, first)
        assert (there.recall, there.precision) == pytest.approx((back.precision, back.recall))
        assert 0 <= there.recall <= 1 + 1e-12


@given(partitions())
def test_the_same_chains_in_another_order_are_perfect(gold: Chains) -> None:
    links = any(len(chain) > 1 for chain in gold)
    for measure in MEASURES:
        expected = 1.0 if gold and (links or measure is not muc) else 0.0
        assert values(measure(gold, gold[::-1])) == pytest.approx((expected,) * 3)


def best_by_trying(weights: np.ndarray) -> float:
    if weights.shape[0] > weights.shape[1]:
        weights = weights.T
    rows = range(weights.shape[0])
    return max(
        sum(float(weights[row, column]) for row, column in zip(rows, chosen, strict=True))
        for chosen in permutations(range(weights.shape[1]), weights.shape[0])
    )


@given(st.integers(0, 4), st.integers(0, 5), st.integers(0, 2**32 - 1), st.booleans())
def test_no_assignment_is_better(height: int, width: int, seed: int, ties: bool) -> None:
    generator = np.random.default_rng(seed)
    weights = generator.integers(0, 3, (height, width)) / 2 if ties else generator.random((height, width))
    rows, columns = best_assignment(weights)
    assert len(rows) == len(set(rows.tolist())) == len(set(columns.tolist())) == min(height, width)
    assert float(weights[rows, columns].sum()) == pytest.approx(best_by_trying(weights))
