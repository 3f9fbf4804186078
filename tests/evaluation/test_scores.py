"""Figures of a system, and whether its probabilities mean what they say."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.errors import InputError
from disco2.evaluation.scores import evaluate, expected_calibration_error, settled_gold

LABELS = ("Cause", "Contrast", "Conjunction")


def figures(gold: list[tuple[str, ...]], predicted: list[str], shared: list[bool] | None = None):
    return evaluate(gold, predicted, shared or [False] * len(gold), labels=LABELS, seed=1)


def test_a_worked_example() -> None:
    """Gold:      Ca Ca Ca Ct Ct Cj
    Predicted:    Ca Ca Ct Ct Cj Ca"""
    gold = [("Cause",)] * 3 + [("Contrast",)] * 2 + [("Conjunction",)]
    predicted = ["Cause", "Cause", "Contrast", "Contrast", "Conjunction", "Cause"]
    result = figures(gold, predicted, [True, True, False, False, False, True])
    assert result.accuracy == pytest.approx(3 / 6)
    assert result.confusion.counts == [[2, 1, 0], [0, 1, 1], [1, 0, 0]]
    cause, contrast, conjunction = (result.per_sense[label] for label in LABELS)
    assert (cause.precision, cause.recall, cause.f1, cause.support) == pytest.approx((2 / 3, 2 / 3, 2 / 3, 3))
    assert (contrast.precision, contrast.recall, contrast.f1) == pytest.approx((1 / 2, 1 / 2, 1 / 2))
    assert (conjunction.precision, conjunction.recall, conjunction.f1) == (0, 0, 0)
    assert result.macro_f1 == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert (result.shared_entities.accuracy, result.shared_entities.n) == (pytest.approx(2 / 3), 3)
    assert (result.other_pairs.accuracy, result.other_pairs.n) == (pytest.approx(1 / 3), 3)
    assert result.majority_share == pytest.approx(3 / 6)


def test_either_of_two_senses_is_right() -> None:
    gold = [("Cause", "Contrast"), ("Cause", "Contrast"), ("Cause", "Contrast")]
    predicted = ["Cause", "Contrast", "Conjunction"]
    assert settled_gold(gold, predicted) == ["Cause", "Contrast", "Cause"]
    result = figures(gold, predicted)
    assert result.accuracy == pytest.approx(2 / 3)
    assert result.confusion.counts == [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    assert result.per_sense["Cause"].recall == pytest.approx(1 / 2)
    assert result.majority_share == 1.0  # answering Cause, always, is never wrong here


def test_the_json_form() -> None:
    content = json.loads(json.dumps(figures([("Cause",), ("Contrast",)], ["Cause", "Cause"]).to_json()))
    names = "accuracy interval wilson_interval macro_f1 n majority_share per_sense confusion"
    assert " ".join(content) == f"{names} shared_entities other_pairs"
    assert content["accuracy"] == 0.5
    assert content["n"] == 2
    assert 0 <= content["interval"][0] <= 0.5 <= content["interval"][1] <= 1
    assert content["confusion"] == {"labels": list(LABELS), "counts": [[1, 0, 0], [1, 0, 0], [0, 0, 0]]}
    assert content["per_sense"]["Cause"] == pytest.approx(
        {"precision": 0.5, "recall": 1.0, "f1": 2 / 3, "support": 1}
    )
    assert content["shared_entities"] == {"accuracy": None, "n": 0}
    assert content["other_pairs"] == {"accuracy": 0.5, "n": 2}


def test_one_class_against_the_rest() -> None:
    gold = [("Temporal",), ("Temporal",), ("Other",), ("Other",)]
    predicted = ["Temporal", "Other", "Temporal", "Temporal"]
    labels = ("Other", "Temporal")
    result = evaluate(gold, predicted, [True] * 4, labels=labels, seed=1, positive="Temporal")
    assert result.f1 == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))
    assert result.to_json()["f1"] == result.f1
    other = evaluate(gold, predicted, [True] * 4, labels=("Other", "Temporal"), seed=1, positive="Other")
    assert other.f1 == 0.0
    assert evaluate(gold, predicted, [True] * 4, labels=labels, seed=1).f1 is None
    with pytest.raises(InputError, match="'Cause' is no label of this task"):
        evaluate(gold, predicted, [True] * 4, labels=labels, seed=1, positive="Cause")


def test_labels_beyond_the_known_ones_are_added() -> None:
    result = evaluate([("Manner",), ("Cause",)], ["Cause", "Odd"], [False, False], labels=("Cause",), seed=1)
    assert result.confusion.labels == ["Cause", "Manner", "Odd"]
    assert result.accuracy == 0.0


def test_nothing_to_evaluate_on() -> None:
    with pytest.raises(InputError, match="no relation"):
        figures([], [])


def slow_figures(gold: list[tuple[str, ...]], predicted: list[str]) -> dict[str, object]:
    """The definitions, one relation and one label at a time."""
    counted = []
    for accepted, answer in zip(gold, predicted, strict=True):
        counted.append((answer if answer in accepted else accepted[0], answer))
    f1 = {}
    for label in LABELS:
        true = sum(1 for truth, answer in counted if truth == label == answer)
        false = sum(1 for truth, answer in counted if truth != label == answer)
        missed = sum(1 for truth, answer in counted if truth == label != answer)
        precision = true / (true + false) if true + false else 0
        recall = true / (true + missed) if true + missed else 0
        f1[label] = 2 * precision * recall / (precision + recall) if precision + recall else 0
    occurring = {truth for truth, _ in counted}
    return {
        "accuracy": sum(answer in accepted for accepted, answer in zip(gold, predicted, strict=True))
        / len(gold),
        "macro_f1": sum(f1[label] for label in occurring) / len(occurring),
        "f1": f1,
        "majority": max(sum(label in accepted for accepted in gold) for label in LABELS) / len(gold),
    }


gold_labels = st.lists(st.sampled_from(LABELS), min_size=1, max_size=2, unique=True).map(tuple)


@given(st.lists(st.tuples(gold_labels, st.sampled_from(LABELS), st.booleans()), min_size=1, max_size=40))
def test_against_the_slow_twin(rows: list[tuple[tuple[str, ...], str, bool]]) -> None:
    gold, predicted, shared = ([row[column] for row in rows] for column in range(3))
    result = figures(gold, predicted, shared)
    slow = slow_figures(gold, predicted)
    assert result.accuracy == pytest.approx(slow["accuracy"])
    assert result.macro_f1 == pytest.approx(slow["macro_f1"])
    assert {label: score.f1 for label, score in result.per_sense.items()} == pytest.approx(slow["f1"])
    assert result.majority_share == pytest.approx(slow["majority"])
    assert sum(map(sum, result.confusion.counts)) == result.n == len(rows)
    assert result.accuracy == pytest.approx(sum(result.confusion.counts[i][i] for i in range(3)) / result.n)
    parts = (result.shared_entities, result.other_pairs)
    assert sum((part.accuracy or 0) * part.n for part in parts) == pytest.approx(result.accuracy * result.n)


def slow(confidences: list[float], right: list[bool], bins: int) -> float:
    total = 0.0
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        inside = [
            (sure, hit)
            for sure, hit in zip(confidences, right, strict=True)
            if low < sure <= high or (number == 0 and sure == 0)
        ]
        if inside:
            accuracy = sum(hit for _, hit in inside) / len(inside)
            confidence = sum(sure for sure, _ in inside) / len(inside)
            total += len(inside) / len(confidences) * abs(accuracy - confidence)
    return total


def test_calibration_a_worked_example() -> None:
    # (0, 0.5] holds 0.4 (right): |1 - 0.4| / 3; (0.5, 1] holds 0.8 (right), 0.6 (wrong): |0.5 - 0.7| 2/3
    found = expected_calibration_error([0.4, 0.8, 0.6], [True, True, False], bins=2)
    assert found == pytest.approx(0.6 / 3 + 0.2 * 2 / 3)


@pytest.mark.parametrize("bins", [1, 4, 16])
def test_it_agrees_with_the_slow_version(bins: int) -> None:
    generator = np.random.default_rng(bins)
    sure = [0.0, 1.0, *generator.random(200).tolist(), *(np.arange(17) / 16).tolist()]
    right = generator.random(len(sure)) < 0.6
    assert expected_calibration_error(sure, right, bins=bins) == pytest.approx(
        slow(sure, right.tolist(), bins)
    )
