"""The rows of a batch in an order that suits several models at once: what depends on the text alone.

A node's vector u goes up to its one parent as U_left u or as U_right u, by the side it stands on. Such a half
product of a leaf depends on word and side only, and a batch has far fewer of those than leaves. So the half
products have rows of their own: the distinct (word, side) of the leaves first, left ones before right ones;
then the inner nodes by height and, within one height, left children, right children, roots. That makes every
product in ``ensemble`` one of a slice with one half of U.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disco2.data.batch import Batch, Ints

_LEFT, _RIGHT, _ROOT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class SharedRows:
    """Half products: d rows of words, then one for each inner node."""

    words: Ints  # [d]
    left_words: int  # how many of them are left children
    left: Ints  # [inner] row of the half product of each inner node's left child
    right: Ints  # [inner]
    levels: tuple[tuple[int, int, int, int], ...]  # begin, begin of right children, of roots, end; of inner
    places: Ints  # [inner] where each inner node of the batch stands in this order


def shared_rows(batch: Batch) -> SharedRows:
    """The order for one batch."""
    leaves, inner = len(batch.words), batch.inner_nodes
    sides = np.full(leaves + inner, _ROOT, dtype=np.int64)
    sides[batch.left] = _LEFT
    sides[batch.right] = _RIGHT

    level_sizes = np.diff(batch.levels)
    kinds = 3 * np.repeat(np.arange(len(level_sizes)), level_sizes) + sides[leaves:]
    order = np.argsort(kinds, kind="stable")
    places = np.empty(inner, dtype=np.int32)
    places[order] = np.arange(inner, dtype=np.int32)
    ends = np.cumsum(np.bincount(kinds, minlength=3 * len(level_sizes))).reshape(-1, 3).tolist()
    begins = [0, *(end for *_, end in ends)][: len(ends)]

    children = np.flatnonzero(sides[:leaves] != _ROOT)  # an argument of one word has a leaf for a root
    size = int(batch.words.max(initial=0)) + 1
    distinct, rows = np.unique(sides[children] * size + batch.words[children], return_inverse=True)
    half_rows = np.empty(leaves + inner, dtype=np.int32)
    half_rows[children] = rows
    half_rows[leaves:] = len(distinct) + places
    return SharedRows(
        words=(distinct % size).astype(np.int32),
        left_words=int(np.searchsorted(distinct, size)),
        left=half_rows[batch.left][order],
        right=half_rows[batch.right][order],
        levels=tuple(
            (begin, middle, roots, end) for begin, (middle, roots, end) in zip(begins, ends, strict=True)
        ),
        places=places,
    )
