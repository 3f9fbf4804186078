"""The best assignment, against trying all of them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.evaluation.assignment import best_assignment


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
