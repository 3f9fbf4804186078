"""Scores and losses on held-out examples, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from disco2.model import ModelSettings
from disco2.training.loop import Development
from disco2.training.optimiser import large_margin
from tests.generated import random_example

# Only the bias counts, so every example gets these scores.
MODEL, PARAMETERS, VECTORS = (
    ModelSettings(kind="majority"),
    {"b": np.array([0.5, 2.0, 0.0])},
    np.zeros((1, 1)),
)


def development(*gold: set[int], positive: int | None = None) -> Development:
    generator = np.random.default_rng(0)
    examples = [random_example(generator, words=(1, 2), vocabulary=1, labels=3)[0] for _ in gold]
    return Development.of(examples, [frozenset(labels) for labels in gold], positive=positive, batch_size=2)


def test_accuracy_and_loss_take_the_best_of_two_right_labels() -> None:
    verdict = development({1}, {0, 1}, {0, 2}).judge(MODEL, PARAMETERS, VECTORS, large_margin)
    assert verdict.score == pytest.approx(2 / 3)
    assert verdict.loss == pytest.approx((0 + 0 + (1 - 0.5 + 2) + (1 - 0.5 + 0)) / 3)


@pytest.mark.parametrize(("positive", "f1"), [(1, 2 * 1 / (3 + 1)), (0, 0.0)])
def test_f1_of_one_class(positive: int, f1: float) -> None:
    verdict = development({1}, {0}, {2}, positive=positive).judge(MODEL, PARAMETERS, VECTORS, large_margin)
    assert verdict.score == pytest.approx(f1)
