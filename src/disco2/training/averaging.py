"""A running mean of the parameters, steadier than the parameters themselves."""

from __future__ import annotations

from disco2.model.parameters import Parameters
from disco2.training.arithmetic import NUMPY, Arithmetic


class RunningMean:
    """mean <- d mean + (1 - d) theta after every step, with d = min(decay, steps / (steps + 1)).

    The first steps are so averaged plainly (Polyak & Juditsky 1992), later ones with a window of about
    1 / (1 - decay) steps. With a decay of 0 the mean is the parameters themselves.
    """

    def __init__(self, parameters: Parameters, *, decay: float, arithmetic: Arithmetic = NUMPY) -> None:
        self._parameters = parameters
        self._decay = decay
        self.steps = 0
        self._arithmetic = arithmetic
        self.values = {name: value.copy() for name, value in parameters.items()} if decay else parameters

    def update(self) -> None:
        if not self._decay:
            return
        decay = min(self._decay, self.steps / (self.steps + 1))
        self.steps += 1
        for name, mean in self.values.items():
            self._arithmetic.blend(mean, self._parameters[name], 1 - decay)
