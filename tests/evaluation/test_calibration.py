"""The expected calibration error against a slow, obvious version."""

from __future__ import annotations

import numpy as np
import pytest

from disco2.errors import InputError
from disco2.evaluation.calibration import expected_calibration_error


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


def test_a_worked_example() -> None:
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


def test_certain_and_right_is_perfect() -> None:
    assert expected_calibration_error([1.0, 1.0], [True, True]) == 0
    assert expected_calibration_error([1.0, 1.0], [False, False]) == 1


@pytest.mark.parametrize(
    ("sure", "right"), [([], []), ([0.5], [True, False]), ([1.5], [True]), ([np.nan], [True])]
)
def test_what_is_no_probability_is_refused(sure: list[float], right: list[bool]) -> None:
    with pytest.raises(InputError):
        expected_calibration_error(sure, right)
