"""Temperatures."""

from __future__ import annotations

import numpy as np
import pytest

from disco2.model.probabilities import Calibration
from disco2.training.fit import COLDEST, ENOUGH, HOTTEST, fit_temperature


def drawn(temperature: float, *, rows: int = 4000, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Scores, and labels that come up as often as the softmax at a temperature says."""
    generator = np.random.default_rng(seed)
    scores = generator.normal(0, 3, size=(rows, 5)).astype(np.float32)
    probabilities = Calibration(temperature).probabilities(scores)
    labels = (probabilities.cumsum(axis=1) < generator.random((rows, 1))).sum(axis=1)
    return scores, np.minimum(labels, 4)


def loss(scores: np.ndarray, labels: np.ndarray, temperature: float) -> float:
    probabilities = Calibration(temperature).probabilities(scores)
    return float(-np.log(probabilities[np.arange(len(labels)), labels]).mean())


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_temperature_that_made_the_labels_is_found(temperature: float) -> None:
    scores, labels = drawn(temperature)
    found, least = fit_temperature(scores, labels)
    assert found == pytest.approx(temperature, rel=0.1)
    grid = np.geomspace(COLDEST, HOTTEST, 400)  # the slow way
    assert loss(scores, labels, found) == pytest.approx(least)
    assert least <= min(loss(scores, labels, one) for one in grid) + 1e-9


def test_labels_that_are_always_right_are_cold_and_never_right_hot() -> None:
    scores = np.random.default_rng(2).normal(size=(ENOUGH, 3))
    assert fit_temperature(scores, scores.argmax(axis=1))[0] == pytest.approx(COLDEST, rel=0.01)
    assert fit_temperature(scores, scores.argmin(axis=1))[0] == pytest.approx(HOTTEST, rel=0.01)


@pytest.mark.parametrize("rows", [1, 3, 15])
def test_a_few_relations_make_no_temperature_extreme(rows: int) -> None:
    scores = np.random.default_rng(2).normal(size=(rows, 3))
    right, wrong = (
        fit_temperature(scores, gold)[0] for gold in (scores.argmax(axis=1), scores.argmin(axis=1))
    )
    assert 0.2 < right < 1 < wrong < 5


def test_labels_that_are_not_allowed_get_nothing() -> None:
    scores = np.array([[5.0, 1.0, 2.0], [1e4, -1e4, -1e4]])
    found = Calibration(2.0).probabilities(scores, [1, 2])
    np.testing.assert_array_equal(found[:, 0], 0)
    np.testing.assert_allclose(found[0, 2], 1 / (1 + np.exp(-0.5)))
    np.testing.assert_allclose(found.sum(axis=1), 1)
