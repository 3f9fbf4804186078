"""Scores of a discourse parser on relations small enough to be counted by hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.errors import InputError
from disco2.evaluation.end_to_end import (
    PrecisionRecall,
    SpanRelation,
    align,
    best_assignment,
    count_document,
    score_relations,
    span_f1,
)


def relation(
    arg1: range, arg2: range, sense: str, *connective: int, document: str = "a", kind: str = ""
) -> SpanRelation:
    kind = kind or ("Explicit" if connective else "Implicit")
    return SpanRelation(document, kind, frozenset(arg1), frozenset(arg2), (sense,), frozenset(connective))


GOLD = [
    relation(range(0, 10), range(11, 20), "Cause", 10),
    relation(range(20, 30), range(30, 40), "Contrast"),
    relation(range(40, 44), range(45, 50), "Condition", 44),
]
FOUND = [
    relation(range(0, 8), range(11, 20), "Cause", 10),  # Arg1: F1 16/18
    relation(range(20, 30), range(30, 40), "Cause"),  # the wrong sense
    relation(range(40, 44), range(45, 50), "Condition", 44),
    relation(range(60, 65), range(66, 70), "Cause", 65),  # not there
]


def test_counts_are_those_of_the_worked_example() -> None:
    counts = count_document(GOLD, FOUND)
    assert counts["connectives"].tolist() == [2, 3, 2]
    assert counts["explicit Arg1 exact"].tolist() == [1, 3, 2]
    assert counts["explicit Arg2 exact"].tolist() == [2, 3, 2]
    assert counts["explicit both exact"].tolist() == [1, 3, 2]
    assert counts["explicit both overlap"].tolist() == [2, 3, 2]
    assert counts["explicit exact"].tolist() == [1, 3, 2]
    assert counts["explicit overlap"].tolist() == [2, 3, 2]
    assert counts["not explicit both exact"].tolist() == [1, 1, 1]
    assert counts["not explicit exact"].tolist() == [0, 1, 1]
    assert counts["all exact"].tolist() == [1, 4, 3]
    assert counts["all overlap"].tolist() == [2, 4, 3]


def test_precision_recall_and_f1() -> None:
    score = PrecisionRecall(2, 4, 3)
    assert score.precision == pytest.approx(1 / 2)
    assert score.recall == pytest.approx(2 / 3)
    assert score.f1 == pytest.approx(4 / 7)
    assert PrecisionRecall(0, 0, 3).precision == 1.0  # as CoNLL has it
    assert PrecisionRecall(0, 0, 3).f1 == 0.0


def test_aligned_by_the_mean_though_one_argument_is_below_the_cutoff() -> None:
    gold = [relation(range(0, 10), range(10, 20), "Cause")]
    found = [relation(range(0, 4), range(10, 20), "Cause")]  # 8/14 and 1: mean 0.79
    counts = count_document(gold, found)
    assert counts["all aligned"].tolist() == [1, 1, 1]
    assert counts["all overlap"].tolist() == [1, 1, 1]
    assert counts["all both overlap"].tolist() == [0, 1, 1]


def test_an_explicit_relation_needs_its_connective() -> None:
    gold = [relation(range(0, 5), range(6, 9), "Cause", 5)]
    found = [SpanRelation("a", "Explicit", gold[0].arg1, gold[0].arg2, ("Cause",), frozenset({9}))]
    assert count_document(gold, found)["all exact"].tolist() == [0, 1, 1]


def test_a_connective_of_two_relations_is_there_once() -> None:
    other = relation(range(0, 3), range(11, 20), "Contrast", 10)
    assert count_document([GOLD[0], other], FOUND[:1])["connectives"].tolist() == [1, 1, 1]


def test_each_gold_relation_is_matched_once() -> None:
    twice = [GOLD[0], GOLD[0]]
    assert count_document(GOLD[:1], twice)["explicit exact"].tolist() == [1, 2, 1]
    assert count_document(GOLD[:1], twice)["explicit overlap"].tolist() == [1, 2, 1]


@pytest.mark.parametrize("seed", range(20))
def test_alignment_has_the_largest_sum_of_all(seed: int) -> None:
    draw = np.random.default_rng(seed)
    gold, found = (
        [relation(range(0, int(draw.integers(5, 10))), range(20, 24), "x") for _ in range(4)]
        for _ in range(2)
    )

    def score(g: int, p: int) -> float:
        return (span_f1(gold[g].arg1, found[p].arg1) + 1) / 2

    every = [[(g, p) for g, p in enumerate(order) if score(g, p) >= 0.7] for order in permutations(range(4))]
    best = max(sum(score(*pair) for pair in pairs) for pairs in every)
    assert sum(score(*pair) for pair in align(gold, found)) == pytest.approx(best)


def test_intervals_hold_the_figure() -> None:
    gold = [relation(range(0, 3), range(4, 7), "Cause", 3, document=str(n)) for n in range(20)]
    found = [one for number, one in enumerate(gold) if number % 3]
    score = score_relations(gold, found)["all exact"]
    assert score.interval is not None
    assert score.interval[0] < score.f1 < score.interval[1]
    assert score.precision == 1.0


def test_nothing_to_evaluate_on() -> None:
    with pytest.raises(InputError, match="no relation"):
        score_relations([], [])


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
