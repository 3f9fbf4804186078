"""``arithmetic`` with every array read once: no intermediate arrays, one loop each."""

from __future__ import annotations

import numpy as np

from disco2.model.arrays import Floats
from disco2.model.compiled.jit import compiled
from disco2.training.arithmetic import TINY, Arithmetic

_TINY = np.float32(TINY)


@compiled
def _penalise(gradient: Floats, theta: Floats, penalty: np.float32) -> np.float32:
    total = np.float32(0)
    for i in range(gradient.size):
        g = gradient[i] + penalty * theta[i]
        gradient[i] = g
        total += g * g
    return total


@compiled
def _descend(gradient: Floats, squares: Floats, theta: Floats, shrink: np.float32, rate: np.float32) -> None:
    for i in range(gradient.size):
        g = shrink * gradient[i]
        squared = squares[i] + g * g
        squares[i] = squared
        theta[i] -= rate * g / (np.sqrt(squared) + _TINY)


@compiled
def _blend(mean: Floats, theta: Floats, share: np.float32) -> None:
    for i in range(mean.size):
        mean[i] += share * (theta[i] - mean[i])


def penalise(gradient: Floats, theta: Floats, penalty: float) -> float:
    return float(_penalise(_flat(gradient), _flat(theta), np.float32(penalty)))


def descend(gradient: Floats, squares: Floats, theta: Floats, shrink: float, rate: float) -> None:
    _descend(_flat(gradient), _flat(squares), _flat(theta), np.float32(shrink), np.float32(rate))


def blend(mean: Floats, theta: Floats, share: float) -> None:
    _blend(_flat(mean), _flat(theta), np.float32(share))


def _flat(array: Floats) -> Floats:
    """A view with one axis: never a copy, since the array is to be changed."""
    view = array.view()
    view.shape = (array.size,)
    return view


COMPILED = Arithmetic(penalise, descend, blend)
