"""The compiled composer: ``composer.NumPyComposer`` at the speed of its matrix products."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disco2.data.batch import Batch, Ints, MentionGroups
from disco2.model.arrays import Floats
from disco2.model.compiled.downward import (
    copy_rows,
    downward,
    downward_gradient,
    spread_to_mentions,
    sum_mentions,
)
from disco2.model.compiled.indices import check_words
from disco2.model.compiled.upward import upward, upward_gradient
from disco2.model.compiled.workspace import Workspace
from disco2.model.composer import Composed, Pair


@dataclass(frozen=True, slots=True)
class _Composed:
    """Views of the composer's workspace: valid until it composes again."""

    batch: Batch
    U: Floats
    V: Floats | None
    room: Workspace
    slot: Ints
    slots: Floats
    up: Floats
    arguments: Pair
    joined: Floats | None = None
    down: Floats | None = None
    entities: Pair | None = None

    def gradients(self, d_arguments: Pair, d_entities: Pair | None) -> tuple[Floats, Floats | None]:
        room, batch, K = self.room, self.batch, len(self.U)
        inner = batch.inner_nodes
        d_slots = room.floats("d_slots", len(self.slots), K)
        d_slots[2 * inner :: 2], d_slots[2 * inner + 1 :: 2] = d_arguments
        link = room.ints("link", len(self.slot))
        link.fill(-1)
        d_joined = room.floats("d_joined", len(batch.down_parents), 2 * K)
        partial = room.floats("partial", K, 2 * K)
        dV = None
        if (
            self.V is not None
            and self.down is not None
            and self.joined is not None
            and d_entities is not None
        ):
            d_down = room.floats("d_down", len(self.down), K)
            d_down.fill(0)
            for d_sums, mentions in zip(
                d_entities, (batch.first_mentions, batch.second_mentions), strict=True
            ):
                spread_to_mentions(d_sums, mentions.rows, mentions.starts, mentions.sizes, d_down)
            dV = np.empty_like(self.V)
            delta = room.floats("delta", len(batch.down_parents), K)
            downward_gradient(
                batch.down_parents,
                batch.down_levels,
                self.V,
                self.joined,
                self.down,
                d_down,
                delta,
                d_joined,
                partial,
                dV,
            )
            link[batch.down_siblings] = np.arange(len(batch.down_siblings), dtype=np.int32)
            d_slots[self.slot[batch.down_roots]] += d_down[: len(batch.down_roots)]
        dU = np.empty_like(self.U)
        delta = room.floats("delta", inner, K)
        upward_gradient(
            batch.levels, self.slot, self.slots, self.up, link, d_joined, self.U, d_slots, delta, partial, dU
        )
        return dU, dV


class CompiledComposer:
    """One call up and one down for all levels of a batch; buffers are kept from batch to batch."""

    def __init__(self) -> None:
        self._room = Workspace()

    def compose(self, batch: Batch, vectors: Floats, U: Floats, V: Floats | None) -> Composed:
        check_words(batch, len(vectors))
        room, K, inner = self._room, len(U), batch.inner_nodes
        slot = room.ints("slot", len(batch.words) + inner)
        slots = room.floats("slots", 2 * (inner + batch.size), K)
        up = room.floats("up", inner, K)
        upward(
            batch.words,
            batch.left,
            batch.right,
            batch.levels,
            batch.first_roots,
            batch.second_roots,
            vectors,
            np.ascontiguousarray(U.T),
            slot,
            slots,
            up,
        )
        arguments = slots[2 * inner :: 2], slots[2 * inner + 1 :: 2]
        if V is None or not len(batch.link_examples):
            return _Composed(batch, U, V, room, slot, slots, up, arguments)

        joined = room.floats("joined", len(batch.down_parents), 2 * K)
        down = room.floats("down", len(batch.down_roots) + len(batch.down_parents), K)
        copy_rows(slots, slot, batch.down_roots, 0, down)
        copy_rows(slots, slot, batch.down_siblings, K, joined)
        downward(batch.down_parents, batch.down_levels, np.ascontiguousarray(V.T), joined, down)
        entities = (
            self._sums("first_sums", down, batch.first_mentions),
            self._sums("second_sums", down, batch.second_mentions),
        )
        return _Composed(batch, U, V, room, slot, slots, up, arguments, joined, down, entities)

    def _sums(self, name: str, down: Floats, mentions: MentionGroups) -> Floats:
        sums = self._room.floats(name, len(mentions.starts), down.shape[1])
        sum_mentions(down, mentions.rows, mentions.starts, mentions.sizes, sums)
        return sums
