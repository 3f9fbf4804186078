"""Losses, AdaGrad, the running mean of the parameters, and dropout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from disco2.data.batch import Batch, Floats
from disco2.model.composition import is_compiled
from disco2.model.network import Masks
from disco2.model.parameters import GROUP_OF, TINY, Parameters

Loss = Callable[[Floats, Batch], tuple[float, Floats]]


def large_margin(scores: Floats, batch: Batch) -> tuple[float, Floats]:
    """l = sum over y' != y* of max(0, 1 - psi(y*) + psi(y')) (paper, eq. 6)."""
    rows = np.arange(batch.size)
    margins = 1 - scores[rows, batch.labels][:, None] + scores
    margins[rows, batch.labels] = 0
    violated = (margins > 0).astype(scores.dtype)
    violated[rows, batch.labels] = -violated.sum(axis=1)
    weights = batch.weights[:, None]
    return float((np.maximum(margins, 0) * weights).sum()) / batch.size, violated * weights / batch.size


def logistic(scores: Floats, batch: Batch) -> tuple[float, Floats]:
    """l = -log softmax of the right label: not the paper's, for comparison."""
    rows = np.arange(batch.size)
    shifted = scores - scores.max(axis=1, keepdims=True)
    odds = np.exp(shifted)
    totals = odds.sum(axis=1, keepdims=True)
    gradient = odds / totals
    gradient[rows, batch.labels] -= 1
    losses = np.log(totals[:, 0]) - shifted[rows, batch.labels]
    return float((losses * batch.weights).sum()) / batch.size, gradient * batch.weights[:, None] / batch.size


def log_softmax(scores: Floats) -> Floats:
    """log p(y), [n, Y]."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    found: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found


LOSSES: dict[str, Loss] = {"large-margin": large_margin, "logistic": logistic}


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
    """Compiled where these parameters allow it and belong to a model that composes."""
    values = parameters.values()
    plain = all(value.flags.c_contiguous and value.flags.writeable for value in values)
    if not ("U" in parameters and plain and is_compiled(*{value.dtype for value in values})):
        return NUMPY
    from disco2.model import compiled

    return Arithmetic(compiled.penalise, compiled.descend, compiled.blend)


class AdaGrad:
    """theta <- theta - eta g / sqrt(sum of squared g), g = dL/dtheta + 2 lambda theta (Duchi et al. 2011).

    The norm of g over all parameters is clipped first (Pascanu et al. 2012). The bias is not regularised.
    """

    def __init__(
        self,
        parameters: Parameters,
        *,
        rates: Mapping[str, float],
        regularisers: Mapping[str, float],
        clip: float,
    ) -> None:
        self._parameters = parameters
        self._rates = {name: rates[GROUP_OF[name]] for name in parameters}
        self._penalties = {
            name: 0.0 if name == "b" else 2 * regularisers[GROUP_OF[name]] for name in parameters
        }
        self._clip = clip
        self._arithmetic = fastest_arithmetic(parameters)
        self.squares = {name: np.zeros_like(value) for name, value in parameters.items()}  # summed squared g

    def step(self, gradients: Parameters) -> None:
        """Change the parameters in place. Gradients are used up; parameters without one stay as they are."""
        total = 0.0
        for name, gradient in gradients.items():
            total += self._arithmetic.penalise(gradient, self._parameters[name], self._penalties[name])
        norm = total**0.5
        shrink = self._clip / norm if norm > self._clip else 1.0
        for name, gradient in gradients.items():
            self._arithmetic.descend(
                gradient, self.squares[name], self._parameters[name], shrink, self._rates[name]
            )


class RunningMean:
    """mean <- d mean + (1 - d) theta after every step, with d = min(decay, steps / (steps + 1)).

    The first steps are so averaged plainly (Polyak & Juditsky 1992), later ones with a window of about
    1 / (1 - decay) steps. With a decay of 0 the mean is the parameters themselves.
    """

    def __init__(self, parameters: Parameters, *, decay: float) -> None:
        self._parameters = parameters
        self._decay = decay
        self.steps = 0
        self._arithmetic = fastest_arithmetic(parameters)
        self.values = {name: value.copy() for name, value in parameters.items()} if decay else parameters

    def update(self) -> None:
        if not self._decay:
            return
        decay = min(self._decay, self.steps / (self.steps + 1))
        self.steps += 1
        for name, mean in self.values.items():
            self._arithmetic.blend(mean, self._parameters[name], 1 - decay)


class Dropout:
    """Draws masks from a generator of its own, so that the order of the batches does not depend on it."""

    def __init__(self, share: float, *, seed: int) -> None:
        self._share = share
        (own,) = np.random.SeedSequence(seed).spawn(1)
        self.generator = np.random.default_rng(own)

    def masks(self, examples: int, width: int, dtype: DTypeLike) -> Masks:
        """For u_m and u_n, each [examples, width]: 0 with the probability of the share, else 1 / (1 - share).

        The expected value of a component is 1, so nothing needs to be scaled when the model is used.
        """
        kept = self.generator.random((2, examples, width)) >= self._share
        first, second = (kept / (1 - self._share)).astype(dtype)
        return first, second
