"""Scores -> probabilities that mean what they say, by a temperature (Guo et al., 2017)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disco2.errors import SettingsError
from disco2.model.arrays import Floats
from disco2.model.prior import Prior


@dataclass(frozen=True, slots=True)
class Calibration:
    """p(y) = exp(psi(y) / T) / sum over allowed y' of exp(psi(y') / T).

    ``temperature`` is T where only some labels are allowed, the senses; ``running_text`` is T where all are,
    the same unless another one was fitted. A ``prior`` replaces the shares of labels that the model was
    trained on.
    """

    temperature: float = 1.0
    running_text: float | None = None
    prior: Prior | None = None

    def __post_init__(self) -> None:
        for value in (self.temperature, self.of_running_text):
            if not (math.isfinite(value) and value > 0):
                raise SettingsError(f"A temperature of {value} makes no sense; it must be above 0.")

    @property
    def of_running_text(self) -> float:
        return self.temperature if self.running_text is None else self.running_text

    def probabilities(self, scores: Floats, allowed: Sequence[int] | None = None) -> Floats:
        """[n, Y] -> [n, Y]; the labels that are not ``allowed`` get 0."""
        hot = scores.astype(np.float64) / (self.of_running_text if allowed is None else self.temperature)
        if allowed is not None:
            masked = np.full_like(hot, -np.inf)
            masked[:, allowed] = hot[:, allowed]
            hot = masked
        if self.prior is not None:
            hot += self.prior.log_ratios(allowed)
        hot -= hot.max(axis=1, keepdims=True)
        found: Floats = np.exp(hot)
        found /= found.sum(axis=1, keepdims=True)
        return found
