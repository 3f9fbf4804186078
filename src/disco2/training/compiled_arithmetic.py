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
    if penalty:  # else theta has no part, not even where it has run away
        for i in range(gradient.size):
            gradient[i] += penalty * theta[i]
    for i in range(gradient.size):
        total += gradient[i] * gradient[i]
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
    """A view with one axis: never a copy, which would be changed in vain."""
    flat = array.reshape(-1)
    if array.size and not np.may_share_memory(flat, array):
        raise ValueError("compiled arithmetic is for contiguous arrays")
    return flat


COMPILED = Arithmetic(penalise, descend, blend)
