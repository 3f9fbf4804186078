"""Measures and comparisons by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.errors import InputError
from disco2.evaluation import paired_bootstrap, sign_test
from disco2.experiments.bench import compare, compare_answers, mean_confusion, measure, stacked
from disco2.experiments.runs import Answers


def answers(predicted: str, gold: str = "aabb", relations: str = "1234", labels: str = "ab") -> Answers:
    """One letter a relation."""
    scores = [[float(label == letter) for label in labels] for letter in predicted]
    return Answers(
        tuple(relations),
        ("d",) * len(relations),
        tuple((letter,) for letter in gold),
        np.array([True, True, False, False]),
        tuple(labels),
        np.array(scores, dtype=np.float32),
    )


def test_mean_and_deviation_are_over_seeds_and_the_interval_over_relations() -> None:
    right = stacked([answers("aaaa"), answers("abaa")])
    assert right.tolist() == [[True, True, False, False], [True, False, False, False]]
    found = measure(right)
    assert found is not None
    assert found.mean == 0.375
    assert found.deviation == pytest.approx(0.25 / np.sqrt(2))
    assert found.n == 4
    assert found.interval is not None
    assert 0 <= found.interval[0] < 0.375 < found.interval[1] <= 1
    assert measure(right[:, :0]) is None
    one = measure(right[:1])
    assert one is not None
    assert one.deviation is None


def test_runs_on_different_relations_are_not_mixed() -> None:
    with pytest.raises(InputError, match="different relations"):
        stacked([answers("aaaa"), answers("aaaa", relations="1235")])
    with pytest.raises(InputError, match="different relations"):  # ids may come again in another document
        stacked([answers("aaaa"), replace(answers("aaaa"), documents=("d", "d", "d", "e"))])
    with pytest.raises(InputError, match="different relations"):
        compare_answers([answers("aaaa")] * 2, [answers("aaaa", relations="1235")] * 2)


def test_systems_with_different_numbers_of_seeds_are_compared_on_the_chosen_relations() -> None:
    first, second = [answers("aaaa"), answers("aabb")], [answers("bbbb")]
    everywhere = compare_answers(first, second)
    assert everywhere == compare(stacked(first), stacked(second))
    chosen = compare_answers(first, second, chosen=first[0].shared)
    assert chosen is not None
    assert (chosen.n, chosen.difference, chosen.wins) == (2, 1.0, 2)


def test_two_systems_are_compared_relation_by_relation() -> None:
    random = np.random.default_rng(3)
    first, second = random.random((3, 60)) < 0.8, random.random((3, 60)) < 0.4
    found = compare(first, second)
    assert found is not None
    gaps = [first[:, n].sum() - second[:, n].sum() for n in range(60)]
    assert (found.wins, found.losses) == (sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps))
    assert found.p_sign == sign_test(found.wins, found.losses)
    by_hand = paired_bootstrap(first.mean(axis=0), second.mean(axis=0), seed=1)
    assert (found.difference, found.interval, found.p_bootstrap) == (
        by_hand.difference,
        by_hand.interval,
        by_hand.p,
    )
    only_first = sum(first[:, n].sum() > 1.5 > second[:, n].sum() for n in range(60))
    only_second = sum(second[:, n].sum() > 1.5 > first[:, n].sum() for n in range(60))
    assert found.p_mcnemar == sign_test(only_first, only_second)
    assert compare(first[:, :0], second[:, :0]) is None


def test_the_confusion_is_averaged_over_seeds() -> None:
    labels, counts = mean_confusion([answers("aaaa"), answers("abbb")])
    assert labels == ("a", "b")
    assert counts.tolist() == [[1.5, 0.5], [1.0, 1.0]]
