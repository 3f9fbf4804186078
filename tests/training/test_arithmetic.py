"""The compiled arithmetic of an update against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from disco2.training.optimiser import NUMPY

pytest.importorskip("numba")
pytest.importorskip("scipy")


@pytest.mark.parametrize("shape", [(0, 3), (1,), (7, 3), (12, 2, 50)])
@pytest.mark.parametrize(("penalty", "shrink"), [(0.0, 1.0), (0.02, 0.3)])
def test_an_update_is_numpys(shape: tuple[int, ...], penalty: float, shrink: float) -> None:
    from disco2.model import compiled

    def after(arithmetic) -> list[np.ndarray]:
        generator = np.random.default_rng(1)
        theta, gradient, mean = generator.normal(size=(3, *shape)).astype(np.float32)
        squares = np.zeros_like(theta)
        norm = arithmetic.penalise(gradient, theta, penalty)
        arithmetic.descend(gradient, squares, theta, shrink, 0.05)
        arithmetic.blend(mean, theta, 0.2)
        return [np.array(norm), squares, theta, mean]

    for found, expected in zip(after(compiled), after(NUMPY), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)
