"""The arithmetic of one update, on one array of parameters at a time: NumPy's, and where it is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from disco2.model.arrays import Floats
from disco2.model.fastest import is_compiled
from disco2.model.parameters import Parameters

TINY = 1e-8  # keeps a parameter that never had a gradient from being divided by zero


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Everything is changed in place."""

    penalise: Callable[[Floats, Floats, float], float]  # gradient, theta, twice lambda -> squared norm
    descend: Callable[[Floats, Floats, Floats, float, float], None]  # gradient, squares, theta, shrink, rate
    blend: Callable[[Floats, Floats, float], None]  # mean, theta, share of theta


def penalise(gradient: Floats, theta: Floats, penalty: float) -> float:
    """g <- g + penalty theta; returns the squared norm of g."""
    if penalty:
        gradient += gradient.dtype.type(penalty) * theta
    return float(np.vdot(gradient, gradient))


def descend(gradient: Floats, squares: Floats, theta: Floats, shrink: float, rate: float) -> None:
    """g <- shrink g; squares <- squares + g^2; theta <- theta - rate g / sqrt(squares)."""
    dtype = gradient.dtype.type
    if shrink != 1.0:
        gradient *= dtype(shrink)
    squares += np.square(gradient)
    theta -= dtype(rate) * gradient / (np.sqrt(squares) + dtype(TINY))


def blend(mean: Floats, theta: Floats, share: float) -> None:
    """mean <- mean + share (theta - mean)."""
    mean += mean.dtype.type(share) * (theta - mean)


NUMPY = Arithmetic(penalise, descend, blend)


def fastest_arithmetic(parameters: Parameters) -> Arithmetic:
    """Compiled where these parameters allow it."""
    values = parameters.values()
    plain = all(value.flags.c_contiguous and value.flags.writeable for value in values)
    if not (plain and is_compiled(*{value.dtype for value in values})):
        return NUMPY
    from disco2.training.compiled_arithmetic import COMPILED

    return COMPILED
