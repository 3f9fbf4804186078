"""Composition up the tree and down to the mentions, level by level, with hand-derived gradients.

Shapes: K dimensions; a batch has ``leaves`` + ``inner`` upward rows and ``roots`` + ``down`` downward rows,
in the order that ``batches.batch`` describes.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from disco2.data.batch import Batch
from disco2.model.arrays import Floats


def compose_upward(batch: Batch, leaves: Floats, U: Floats) -> Floats:
    """u_i = tanh(U [u_left; u_right]) for every inner node (paper, eq. 1). U: [K, 2K].

    ``leaves``: [leaves, K]. Returns the upward vectors of all nodes, [leaves + inner, K].
    """
    count, K = leaves.shape
    up = np.empty((count + batch.inner_nodes, K), dtype=leaves.dtype)
    up[:count] = leaves
    UT = U.T
    for begin, end in pairwise(batch.levels.tolist()):
        children = np.empty((end - begin, 2 * K), dtype=leaves.dtype)
        children[:, :K] = up[batch.left[begin:end]]
        children[:, K:] = up[batch.right[begin:end]]
        level = up[count + begin : count + end]
        np.tanh(np.matmul(children, UT, out=level), out=level)
    return up


def upward_gradient(batch: Batch, up: Floats, d_up: Floats, U: Floats, *, leaves: bool = False) -> Floats:
    """dL/dU, [K, 2K], given dL/du at every node from outside the upward pass.

    ``d_up`` [leaves + inner, K] is used up: what flows from parents to inner children is added to it. Word
    vectors are not trained, so nothing is computed for the leaves, unless ``leaves``: then their rows of
    ``d_up`` hold dL/du afterwards.
    """
    count, K = len(up) - batch.inner_nodes, up.shape[1]
    for end, begin in pairwise(reversed(batch.levels.tolist())):
        rows = slice(count + begin, count + end)
        delta = d_up[rows]
        delta *= 1 - np.square(up[rows])
        for children, half in ((batch.left, U[:, :K]), (batch.right, U[:, K:])):
            nodes = children[begin:end]
            inner = np.arange(len(nodes)) if leaves else np.flatnonzero(nodes >= count)
            if len(inner):  # a child has one parent, so no row is hit twice
                d_up[nodes[inner]] += delta[inner] @ half
    delta = d_up[count:]
    gradient = np.empty_like(U)
    gradient[:, :K] = delta.T @ up[batch.left]
    gradient[:, K:] = delta.T @ up[batch.right]
    return gradient


def compose_downward(batch: Batch, up: Floats, V: Floats) -> Floats:
    """d_root = u_root; d_i = tanh(V [d_parent; u_sibling]) on the way to mentions (eq. 2). V: [K, 2K].

    Returns [roots + down, K].
    """
    roots, K = len(batch.down_roots), up.shape[1]
    down = np.empty((roots + len(batch.down_parents), K), dtype=up.dtype)
    down[:roots] = up[batch.down_roots]
    # Siblings do not depend on the pass: their half is one product for all levels.
    siblings = up[batch.down_siblings] @ V[:, K:].T
    VT = V[:, :K].T
    for begin, _, end in batch.down_levels.tolist():
        level = down[roots + begin : roots + end]
        np.matmul(down[batch.down_parents[begin:end]], VT, out=level)
        level += siblings[begin:end]
        np.tanh(level, out=level)
    return down


def downward_gradient(
    batch: Batch, up: Floats, down: Floats, d_down: Floats, V: Floats, d_up: Floats
) -> Floats:
    """dL/dV, [K, 2K], given dL/dd at the mentions; adds what flows to siblings and roots to ``d_up``.

    ``d_down`` [roots + down, K] is used up. A node is the sibling of one node only, so siblings are hit once.
    """
    roots, K = len(batch.down_roots), up.shape[1]
    to_parent = V[:, :K]
    for begin, middle, end in reversed(batch.down_levels.tolist()):
        rows = slice(roots + begin, roots + end)
        delta = d_down[rows]
        delta *= 1 - np.square(down[rows])
        flow = delta @ to_parent
        # Within one half of a level every parent occurs once, so plain indexed addition is safe.
        d_down[batch.down_parents[begin:middle]] += flow[: middle - begin]
        d_down[batch.down_parents[middle:end]] += flow[middle - begin :]
    delta = d_down[roots:]
    d_up[batch.down_siblings] += delta @ V[:, K:]
    d_up[batch.down_roots] += d_down[:roots]
    gradient = np.empty_like(V)
    gradient[:, :K] = delta.T @ down[batch.down_parents]
    gradient[:, K:] = delta.T @ up[batch.down_siblings]
    return gradient
