"""Masks that set random components of the argument vectors to zero, a new one for each training step."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from disco2.model.network import Masks


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
