"""Bracket scores on worked examples."""

from __future__ import annotations

import pytest

from disco2.errors import InputError
from disco2.evaluation.brackets import evaluate_brackets

GOLD = [("S", 0, 5), ("NP", 0, 1), ("VP", 1, 4), ("NP", 2, 4)]


def test_one_wrong_label_and_one_wrong_span() -> None:
    predicted = [("S", 0, 5), ("NP", 0, 1), ("VP", 1, 5), ("PP", 2, 4), ("NP", 3, 4)]
    found = evaluate_brackets([GOLD], [predicted])
    assert (found.labelled.matched, found.labelled.predicted, found.labelled.gold) == (2, 5, 4)
    assert found.labelled.precision == pytest.approx(2 / 5)
    assert found.labelled.recall == pytest.approx(2 / 4)
    assert found.labelled.f1 == pytest.approx(4 / 9)
    assert found.unlabelled.matched == 3
    assert found.exact == 0


def test_unary_chains_count_as_often_as_they_occur() -> None:
    gold = [[("S", 0, 2), ("VP", 0, 2), ("NP", 1, 2), ("NP", 1, 2)]]
    predicted = [[("VP", 0, 2), ("NP", 1, 2)]]
    found = evaluate_brackets(gold, predicted)
    assert (found.labelled.matched, found.labelled.predicted, found.labelled.gold) == (2, 2, 4)
    assert found.unlabelled.matched == 2


def test_root_and_flat_modifiers_are_left_out() -> None:
    found = evaluate_brackets([[("ROOT", 0, 5), *GOLD]], [[*GOLD, ("NML", 2, 3), ("TOP", 0, 5)]])
    assert found.labelled.f1 == 1.0
    assert found.exact == 1


def test_counts_are_summed_over_sentences() -> None:
    found = evaluate_brackets([GOLD, [("NP", 0, 1)]], [GOLD, [("INTJ", 0, 1)]])
    assert found.labelled.f1 == pytest.approx(8 / 10)
    assert found.unlabelled.f1 == 1.0
    assert (found.exact, found.sentences) == (1, 2)


def test_nothing_to_divide_by_gives_zero() -> None:
    assert evaluate_brackets([[]], [[]]).labelled.f1 == 0.0


def test_unequal_numbers_of_trees_are_refused() -> None:
    with pytest.raises(InputError, match="1 predicted trees for 2 gold ones"):
        evaluate_brackets([GOLD, GOLD], [GOLD])
