"""Adapting the last layer: against a slow twin, central differences, and pairs whose labels are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from disco2.training.adaptation import STRENGTHS, LabelledPairs, adapt, deal_folds, fit_change, loss_gradient

GENERATOR = np.random.default_rng(1)
PAIRS, SIZE, LABELS = 7, 4, 3
INPUTS = GENERATOR.normal(size=(PAIRS, SIZE))
SCORES = GENERATOR.normal(size=(PAIRS, LABELS))
TARGETS = GENERATOR.dirichlet(np.ones(LABELS), size=PAIRS)
CHANGE = GENERATOR.normal(size=(LABELS, SIZE))
SETTINGS = {"temperature": 1.7, "penalty": 0.6}


def slow_loss(change: np.ndarray) -> float:
    """The equation of the module, one number at a time."""
    total = 0.0
    for pair in range(PAIRS):
        heated = []
        for label in range(LABELS):
            added = sum(change[label][column] * INPUTS[pair][column] for column in range(SIZE))
            heated.append((SCORES[pair][label] + added) / SETTINGS["temperature"])
        whole = sum(math.exp(one) for one in heated)
        for label in range(LABELS):
            total -= TARGETS[pair][label] * math.log(math.exp(heated[label]) / whole)
    return total + SETTINGS["penalty"] / 2 * sum(float(value) ** 2 for value in change.ravel())


def test_the_gradient_is_that_of_the_loss() -> None:
    gradient = loss_gradient(CHANGE, INPUTS, SCORES, TARGETS, **SETTINGS)
    for place in np.ndindex(CHANGE.shape):
        step = np.zeros_like(CHANGE)
        step[place] = 1e-5
        slope = (slow_loss(CHANGE + step) - slow_loss(CHANGE - step)) / 2e-5
        assert gradient[place] == pytest.approx(slope, abs=1e-7)


def test_the_fit_reaches_the_minimum() -> None:
    found = fit_change(np.zeros_like(CHANGE), INPUTS, SCORES, TARGETS, **SETTINGS)
    assert np.abs(loss_gradient(found, INPUTS, SCORES, TARGETS, **SETTINGS)).max() < 1e-2
    assert all(
        slow_loss(found) <= slow_loss(found + 0.1 * GENERATOR.normal(size=found.shape)) for _ in "12345"
    )


def labelled(*, shifted: bool, count: int = 120) -> tuple[LabelledPairs, np.ndarray]:
    """Pairs of which a trained model is right, or of which it mistakes each label for the next one."""
    generator = np.random.default_rng(2)
    gold = np.arange(count) % LABELS
    pooled = generator.normal(0, 0.3, size=(count, 8))
    pooled[np.arange(count), gold] += 3
    answers = (gold + 1) % LABELS if shifted else gold
    return LabelledPairs(pooled, 2 * np.eye(LABELS)[answers], np.eye(LABELS)[gold], temperature=2.0), gold


def test_a_wrong_model_is_corrected_and_a_right_one_kept() -> None:
    pairs, gold = labelled(shifted=True)
    folds = np.arange(len(gold)) // LABELS % 5
    found = adapt(pairs, folds)
    assert (found.before == gold).mean() == 0
    assert (found.after == gold).mean() == 1
    scores = pairs.scores + pairs.pooled @ found.weights.T + found.bias
    assert (scores.argmax(axis=1) == gold).all()
    pairs, gold = labelled(shifted=False)
    found = adapt(pairs, folds)
    assert (found.before == gold).all()
    assert (found.after == gold).all()


def test_answers_in_cross_validation_do_not_see_their_own_labels() -> None:
    """Labels without any connection to the pairs can't be answered better than by chance."""
    generator = np.random.default_rng(3)
    pooled, gold = generator.normal(size=(100, 30)), generator.integers(0, 2, size=100)
    pairs = LabelledPairs(pooled, np.zeros((100, 2)), np.eye(2)[gold])
    found = adapt(pairs, deal_folds(range(100), list(map(str, gold)), seed=1))
    assert (found.after == gold).mean() < 0.65
    assert found.strength >= STRENGTHS[2]


def test_folds_keep_groups_together_and_spread_labels() -> None:
    groups = [number // 2 for number in range(40)]
    labels = ["a" if group % 2 else "b" for group in groups]
    folds = deal_folds(groups, labels, seed=1)
    assert (folds == deal_folds(groups, labels, seed=1)).all()
    assert len({(group, fold) for group, fold in zip(groups, folds.tolist(), strict=True)}) == 20
    for fold in range(5):
        here = [label for label, one in zip(labels, folds.tolist(), strict=True) if one == fold]
        assert sorted(set(here)) == ["a", "b"]
        assert len(here) == 8
