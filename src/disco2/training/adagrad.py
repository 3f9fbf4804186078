"""AdaGrad with clipping, and a learning rate and regulariser for each group of parameters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from disco2.model.parameters import GROUP_OF, Parameters
from disco2.training.arithmetic import NUMPY, Arithmetic


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
        arithmetic: Arithmetic = NUMPY,
    ) -> None:
        self._parameters = parameters
        self._rates = {name: rates[GROUP_OF[name]] for name in parameters}
        self._penalties = {
            name: 0.0 if name == "b" else 2 * regularisers[GROUP_OF[name]] for name in parameters
        }
        self._clip = clip
        self._arithmetic = arithmetic
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
