"""Trees in, vectors out, and gradients back: what stands between a batch and its bilinear scores.

There are two composers: the one here, in NumPy, and ``compiled.composer``, which needs numba. They agree but
for rounding; the one here is the obvious one, works in any precision, and is what the other is tested by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from disco2.data.batch import Batch
from disco2.model.arrays import Floats
from disco2.model.composition import compose_downward, compose_upward, downward_gradient, upward_gradient
from disco2.model.links import spread_to_mentions, sum_mentions

Pair = tuple[Floats, Floats]  # something of the first argument, and the same of the second


class Composed(Protocol):
    """The vectors of a batch, with what is needed for the way back."""

    @property
    def arguments(self) -> Pair:
        """u_m and u_n, [n, K] each."""

    @property
    def entities(self) -> Pair | None:
        """The sums of each link's mention vectors d, [links, K] each. None without a downward pass."""

    @property
    def down(self) -> Floats | None:
        """The downward vectors, [roots + down, K]."""

    def gradients(self, d_arguments: Pair, d_entities: Pair | None) -> tuple[Floats, Floats | None]:
        """dL/dU and dL/dV, given the gradients of the arguments and of the sums. To be asked for once."""


class Composer(Protocol):
    """What turns batches into vectors. What it gave before may be gone once it is asked again."""

    def compose(self, batch: Batch, vectors: Floats, U: Floats, V: Floats | None) -> Composed:
        """Up all trees and, where there is a V and a link, down to the mentions.

        ``vectors``: [vocabulary, K], the rows that ``batch.words`` names.
        """


@dataclass(frozen=True, slots=True)
class _Composed:
    batch: Batch
    U: Floats
    V: Floats | None
    up: Floats  # [leaves + inner, K]
    down: Floats | None
    arguments: Pair
    entities: Pair | None

    def gradients(self, d_arguments: Pair, d_entities: Pair | None) -> tuple[Floats, Floats | None]:
        batch = self.batch
        d_up = np.zeros_like(self.up)
        d_up[batch.first_roots], d_up[batch.second_roots] = d_arguments
        dV = None
        if self.down is not None and self.V is not None and d_entities is not None:
            d_down = np.zeros_like(self.down)
            spread_to_mentions(d_entities[0], batch.first_mentions, d_down)
            spread_to_mentions(d_entities[1], batch.second_mentions, d_down)
            dV = downward_gradient(batch, self.up, self.down, d_down, self.V, d_up)
        return upward_gradient(batch, self.up, d_up, self.U), dV


class NumPyComposer:
    """One matrix product a level."""

    def compose(self, batch: Batch, vectors: Floats, U: Floats, V: Floats | None) -> Composed:
        up = compose_upward(batch, vectors[batch.words], U)
        down = entities = None
        if V is not None and len(batch.link_examples):
            down = compose_downward(batch, up, V)
            entities = sum_mentions(down, batch.first_mentions), sum_mentions(down, batch.second_mentions)
        arguments = up[batch.first_roots], up[batch.second_roots]
        return _Composed(batch, U, V, up, down, arguments, entities)
