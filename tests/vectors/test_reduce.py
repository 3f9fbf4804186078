"""Principal components and standardisation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disco2.errors import VectorsError
from disco2.vectors import reduce
from disco2.vectors.reduce import find_reduction, principal_axes


def matrices(seed: int, rows: int, columns: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return (generator.normal(size=(rows, columns)) @ generator.normal(size=(columns, columns)) + 3.0).astype(
        np.float32
    )


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), columns=st.integers(2, 8), data=st.data())
def test_columns_are_standard_and_uncorrelated(seed: int, columns: int, data: st.DataObject) -> None:
    dimensions = data.draw(st.integers(1, columns - 1))
    reduced = reduce(matrices(seed, 60, columns), dimensions=dimensions)
    assert reduced.shape == (60, dimensions)
    assert reduced.dtype == np.float32
    np.testing.assert_allclose(reduced.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(reduced.T @ reduced / 60, np.eye(dimensions), atol=1e-3)


def test_components_are_those_of_a_singular_value_decomposition() -> None:
    values = matrices(1, 200, 6).astype(np.float64)
    centred = values - values.mean(axis=0)
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    ours = centred @ principal_axes(centred, dimensions=3)
    theirs = left[:, :3] * singular[:3]
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-8)


def test_components_come_largest_first_and_rebuild_best() -> None:
    values = matrices(2, 100, 5).astype(np.float64)
    centred = values - values.mean(axis=0)
    variances = (centred @ principal_axes(centred, dimensions=5)).var(axis=0)
    assert (np.diff(variances) <= 1e-9).all()
    assert variances.sum() == pytest.approx(values.var(axis=0).sum())


def test_the_sign_does_not_depend_on_the_order_of_words() -> None:
    values = matrices(3, 80, 5)
    order = np.random.default_rng(0).permutation(80)
    np.testing.assert_allclose(
        reduce(values[order], dimensions=3), reduce(values, dimensions=3)[order], atol=1e-4
    )


def test_as_many_dimensions_as_there_are_only_standardises() -> None:
    values = matrices(4, 50, 4)
    expected = (values - values.mean(axis=0)) / values.std(axis=0)
    np.testing.assert_allclose(reduce(values, dimensions=4), expected, atol=1e-4)


def test_a_constant_column_becomes_zero() -> None:
    values = np.array([[1, 7], [2, 7], [3, 7]], dtype=np.float32)
    reduced = reduce(values, dimensions=2)
    assert (reduced[:, 1] == 0).all()
    assert np.isfinite(reduced).all()


def test_impossible_dimensions() -> None:
    with pytest.raises(VectorsError, match=r"5 dimensions were asked for, the word vectors have 4"):
        reduce(matrices(5, 10, 4), dimensions=5)
    with pytest.raises(VectorsError, match="at least one"):
        reduce(matrices(5, 10, 4), dimensions=0)


@pytest.mark.parametrize("dimensions", [1, 4, 6])
def test_a_reduction_is_the_whole_calculation(dimensions: int) -> None:
    """Against the formulas, all rows at once; and kept, it gives the same digits again."""
    values = matrices(6, 9000, 6)  # more rows than are done at a time
    values[:, 2] = 5.0
    exact = values.astype(np.float64)
    reduction = find_reduction(values, dimensions=dimensions)
    if dimensions < 6:
        centred = exact - exact.mean(axis=0)
        exact = centred @ principal_axes(centred, dimensions=dimensions)
    deviation = exact.std(axis=0)
    deviation[deviation < 1e-9] = np.inf
    expected = ((exact - exact.mean(axis=0)) / deviation).astype(np.float32)
    np.testing.assert_allclose(reduction(values), expected, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(reduction(values), reduce(values, dimensions=dimensions))
    np.testing.assert_allclose(
        reduction(values[:100]), reduce(values, dimensions=dimensions)[:100], rtol=0, atol=1e-6
    )
    assert (reduction.axes is None) == (dimensions == 6)
