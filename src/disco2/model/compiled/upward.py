"""Composition up the tree, and its gradient, for a whole batch in one call.

Every vector is written to where its parent reads it: slot 2p for the left child of inner node p, slot 2p + 1
for the right one, and behind those the roots. So [u_left; u_right] of a level is a slice, nothing is gathered
before a product, and dL/dU is one product of all deltas with all slots.
"""

from __future__ import annotations

import numpy as np

from disco2.data.batch import Ints
from disco2.model.arrays import Floats
from disco2.model.compiled.jit import compiled
from disco2.model.compiled.products import multiply_transposed, rows_at_a_time
from disco2.model.compiled.tanh import tanh_rows


@compiled
def upward(
    words: Ints,
    left: Ints,
    right: Ints,
    levels: Ints,
    first_roots: Ints,
    second_roots: Ints,
    vectors: Floats,
    UT: Floats,
    slot: Ints,
    slots: Floats,
    up: Floats,
) -> None:
    """u_i = tanh(U [u_left; u_right]) (paper, eq. 1). UT: [2K, K], U transposed.

    Fills ``slot`` [leaves + inner], where each node's vector is; ``slots`` [2 inner + 2n, K]; and ``up``
    [inner, K], the vectors of the inner nodes once more, in the order of the batch.
    """
    K = UT.shape[1]
    leaves, inner = len(words), len(left)
    for node in range(inner):
        slot[left[node]] = 2 * node
        slot[right[node]] = 2 * node + 1
    for example in range(len(first_roots)):
        slot[first_roots[example]] = 2 * (inner + example)
        slot[second_roots[example]] = 2 * (inner + example) + 1
    for leaf in range(leaves):
        to, word = slot[leaf], words[leaf]
        for k in range(K):
            slots[to, k] = vectors[word, k]
    children = slots[: 2 * inner].reshape(inner, 2 * K)
    block = rows_at_a_time(UT.size)
    for level in range(len(levels) - 1):
        for begin in range(levels[level], levels[level + 1], block):
            end = min(begin + block, levels[level + 1])
            np.dot(children[begin:end], UT, up[begin:end])
            tanh_rows(up[begin:end])
            for node in range(begin, end):
                to = slot[leaves + node]
                for k in range(K):
                    slots[to, k] = up[node, k]


@compiled
def upward_gradient(
    levels: Ints,
    slot: Ints,
    slots: Floats,
    up: Floats,
    link: Ints,
    from_below: Floats,
    U: Floats,
    d_slots: Floats,
    delta: Floats,
    partial: Floats,
    dU: Floats,
) -> None:
    """dL/dU, [K, 2K], given the gradients of the roots in the last 2n rows of ``d_slots``, which is used up.

    ``from_below`` [down, 2K]: the right half of row ``link[node]`` is what the downward pass adds to a node
    as somebody's sibling; a link of -1 is nothing. Of the lowest level all children are leaves, so nothing is
    sent there. ``delta`` [inner, K] and ``partial`` [K, 2K] are room to work in.
    """
    inner, K = up.shape
    leaves = len(slot) - inner
    d_children = d_slots[: 2 * inner].reshape(inner, 2 * K)
    block = rows_at_a_time(U.size)
    for level in range(len(levels) - 2, -1, -1):
        for begin in range(levels[level], levels[level + 1], block):
            end = min(begin + block, levels[level + 1])
            for node in range(begin, end):
                at, below = slot[leaves + node], link[leaves + node]
                if below < 0:
                    for k in range(K):
                        delta[node, k] = d_slots[at, k] * (1 - up[node, k] * up[node, k])
                else:
                    for k in range(K):
                        d = d_slots[at, k] + from_below[below, K + k]
                        delta[node, k] = d * (1 - up[node, k] * up[node, k])
            if level:
                np.dot(delta[begin:end], U, d_children[begin:end])
    multiply_transposed(delta, slots[: 2 * inner].reshape(inner, 2 * K), partial, dU)
