"""Expected shares of labels against numbers computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disco2.errors import BundleError, SettingsError
from disco2.model.probabilities import Calibration, Prior

LABELS = ("a", "b", "c")
COUNTS = {"a": 50, "b": 30, "c": 20}
TRAINED = {"a": 0.5, "b": 0.3, "c": 0.2}


def probabilities(shares: Any, p: list[float], allowed: list[int] | None = None) -> list[float]:
    """What becomes of the model's own probabilities."""
    prior = Prior.of(shares, labels=LABELS, counts=COUNTS)
    scores = np.log(np.array([p]))
    return Calibration(prior=prior).probabilities(scores, allowed)[0].tolist()


@pytest.mark.parametrize(
    ("shares", "p", "allowed", "expected"),
    [
        # Where the model says no more than training did, the expected shares come out: 0.8 is split 30 to 20.
        ({"a": 0.2}, [0.5, 0.3, 0.2], None, [0.2, 0.48, 0.32]),
        # 0.6 * 0.2 / 0.5 = 0.24,  0.3 * 0.48 / 0.3 = 0.48,  0.1 * 0.32 / 0.2 = 0.16;  their sum is 0.88
        ({"a": 0.2}, [0.6, 0.3, 0.1], None, [0.24 / 0.88, 0.48 / 0.88, 0.16 / 0.88]),
        # 0.6 / 0.5 = 1.2,  0.3 / 0.3 = 1,  0.1 / 0.2 = 0.5
        ("uniform", [0.6, 0.3, 0.1], None, [1.2 / 2.7, 1 / 2.7, 0.5 / 2.7]),
        ("uniform", [0.5, 0.3, 0.2], [0, 2], [0.5, 0, 0.5]),
        # A named share is that among the allowed labels; b has the other 0.6.
        ({"a": 0.4}, [0.5, 0.3, 0.2], [0, 1], [0.4, 0.6, 0]),
        # Of a share that is set aside, 0.2 to 0.3 are left.
        ({"a": 0.2, "c": 0.5}, [0.5, 0.3, 0.2], [0, 1], [0.4, 0.6, 0]),
        # Where all are named, only proportions count: 0.6 * 1 / 0.5, 0.3 * 2 / 0.3, 0.1 * 2 / 0.2.
        ({"a": 0.1, "b": 0.2, "c": 0.2}, [0.6, 0.3, 0.1], None, [1.2 / 4.2, 2 / 4.2, 1 / 4.2]),
        # The shares of training change nothing.
        *((shares, [0.6, 0.3, 0.1], None, [0.6, 0.3, 0.1]) for shares in ({}, {"a": 0.5}, TRAINED)),
        # What is never expected is never answered.
        ({"a": 0}, [0.98, 0.008, 0.012], None, [0, 0.4, 0.6]),
        ({"c": 1.0}, [1 - 1e-300, 1e-300, 1e-300], None, [0, 0, 1]),
    ],
)
def test_expected_shares(
    shares: Any, p: list[float], allowed: list[int] | None, expected: list[float]
) -> None:
    assert probabilities(shares, p, allowed) == pytest.approx(expected)


def test_temperatures_come_first() -> None:
    prior = Prior.of({"a": 0.2}, labels=LABELS, counts=COUNTS)
    scores = 3 * np.log(np.array([[0.6, 0.3, 0.1]]))
    found = Calibration(3.0, prior=prior).probabilities(scores)[0]
    assert found == pytest.approx([0.24 / 0.88, 0.48 / 0.88, 0.16 / 0.88])


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({"a": -0.1}, "The share of 'a' in the prior is -0.1"),
        ({"a": float("nan")}, "is nan"),
        ({"a": None}, "is None"),
        ({"a": "0.4"}, "is '0.4'"),
        ({"a": 0.7, "b": 0.4}, "add up to 1.1, which is more than 1"),
        ({"d": 0.1}, "Unknown label 'd'"),
        ({3: 0.1}, "Unknown label '3'"),
        ("even", "Unknown prior 'even'"),
        ([0.1], "Unknown prior"),
    ],
)
def test_shares_that_make_no_sense(shares: Any, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        Prior.of(shares, labels=LABELS, counts=COUNTS)


def test_the_nearest_label_is_told() -> None:
    with pytest.raises(SettingsError) as caught:
        Prior.of({"Contingency.Couse": 1}, labels=("Contingency.Cause",), counts={"Contingency.Cause": 1})
    assert caught.value.hint.startswith("Did you mean 'Contingency.Cause'?")


def test_nothing_left_for_the_allowed_labels() -> None:
    with pytest.raises(SettingsError, match="leaves no share"):
        probabilities({"a": 1.0}, [0.6, 0.3, 0.1], [1, 2])


@pytest.mark.parametrize("counts", [{}, {"a": 50, "b": 30}, {"a": 50, "b": 30, "c": 0}])
def test_a_model_that_does_not_know_its_counts(counts: dict[str, float]) -> None:
    with pytest.raises(BundleError, match="does not record") as caught:
        Prior.of("uniform", labels=LABELS, counts=counts)
    assert "Train it again" in caught.value.hint
