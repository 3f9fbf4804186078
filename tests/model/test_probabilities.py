"""Expected shares of labels against numbers computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disco2.errors import BundleError, SettingsError
from disco2.model.probabilities import Calibration, Prior

LABELS = ("a", "b", "c")
COUNTS = {"a": 50, "b": 30, "c": 20}


def probabilities(shares: Any, p: list[float], allowed: list[int] | None = None) -> list[float]:
    """What becomes of the model's own probabilities."""
    prior = Prior.of(shares, labels=LABELS, counts=COUNTS)
    scores = np.log(np.array([p]))
    return Calibration(prior=prior).probabilities(scores, allowed)[0].tolist()


def test_labels_that_are_not_named_share_the_rest_as_in_training() -> None:
    # Where the model says no more than training did, the expected shares come out: 0.8 is split 30 to 20.
    assert probabilities({"a": 0.2}, [0.5, 0.3, 0.2]) == pytest.approx([0.2, 0.48, 0.32])
    # 0.6 * 0.2 / 0.5 = 0.24,  0.3 * 0.48 / 0.3 = 0.48,  0.1 * 0.32 / 0.2 = 0.16;  their sum is 0.88
    found = probabilities({"a": 0.2}, [0.6, 0.3, 0.1])
    assert found == pytest.approx([0.24 / 0.88, 0.48 / 0.88, 0.16 / 0.88])


def test_a_uniform_prior() -> None:
    # 0.6 / 0.5 = 1.2,  0.3 / 0.3 = 1,  0.1 / 0.2 = 0.5
    assert probabilities("uniform", [0.6, 0.3, 0.1]) == pytest.approx([1.2 / 2.7, 1 / 2.7, 0.5 / 2.7])
    assert probabilities("uniform", [0.5, 0.3, 0.2], [0, 2]) == pytest.approx([0.5, 0, 0.5])


def test_shares_are_shares_of_the_allowed_labels() -> None:
    # a named share is that among the allowed labels; b has the other 0.6
    assert probabilities({"a": 0.4}, [0.5, 0.3, 0.2], [0, 1]) == pytest.approx([0.4, 0.6, 0])
    # of a share that is set aside, 0.2 to 0.3 are left
    assert probabilities({"a": 0.2, "c": 0.5}, [0.5, 0.3, 0.2], [0, 1]) == pytest.approx([0.4, 0.6, 0])


def test_where_all_are_named_proportions_count() -> None:
    half = probabilities({"a": 0.1, "b": 0.2, "c": 0.2}, [0.6, 0.3, 0.1])
    assert half == pytest.approx(probabilities({"a": 0.2, "b": 0.4, "c": 0.4}, [0.6, 0.3, 0.1]))


@pytest.mark.parametrize("shares", [{}, {"a": 0.5}, {"a": 0.5, "b": 0.3, "c": 0.2}])
def test_the_shares_of_training_change_nothing(shares: dict[str, float]) -> None:
    assert probabilities(shares, [0.6, 0.3, 0.1]) == pytest.approx([0.6, 0.3, 0.1])


def test_what_is_expected_never_is_never_answered() -> None:
    assert probabilities({"a": 0}, [0.98, 0.008, 0.012]) == pytest.approx([0, 0.4, 0.6])
    assert probabilities({"c": 1.0}, [1 - 1e-300, 1e-300, 1e-300]) == [0, 0, 1]


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
        ({"a": float("inf")}, "is inf"),
        ({"a": True}, "is True"),
        ({"a": "0.4"}, "is '0.4'"),
        ({"a": 0.7, "b": 0.4}, "add up to 1.1, which is more than 1"),
        ({"d": 0.1}, "Unknown label 'd'"),
        ({3: 0.1}, "Unknown label '3'"),
        ("even", "Unknown prior 'even'"),
        ([0.1], "not a list"),
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
