"""AdaGrad with an L1 penalty."""

from __future__ import annotations

import numpy as np

from disco2.annotation.english.coreference.ranking import Floats


class SparseAdaGrad:
    """theta <- shrink(theta - h g, h lambda), h = eta / sqrt(sum of squared g) (Duchi et al. 2011).

    shrink(x, y) moves x towards 0 by y and stops there, so that useless weights are exactly 0.
    """

    def __init__(self, parameters: dict[str, Floats], *, rate: float, penalty: float) -> None:
        self._parameters = parameters
        self._rate = np.float32(rate)
        self._penalty = np.float32(penalty)
        self._squares = {name: np.zeros_like(value) for name, value in parameters.items()}

    def step(self, gradients: dict[str, Floats]) -> None:
        """Change the parameters in place."""
        for name, gradient in gradients.items():
            squares = self._squares[name]
            squares += np.square(gradient)
            pace = self._rate / (np.sqrt(squares) + np.float32(1e-6))
            moved = self._parameters[name] - pace * gradient
            shrunk = np.maximum(np.abs(moved) - pace * self._penalty, 0.0)
            self._parameters[name][...] = np.where(squares > 0, np.sign(moved) * shrunk, 0.0)
