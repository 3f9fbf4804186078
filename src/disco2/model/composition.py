"""Composition up the trees and down to the mentions, level by level, with hand-derived gradients.

Shapes: K dimensions; a batch has ``leaves`` + ``inner`` upward rows and ``roots`` + ``down`` downward rows,
in the order that ``data.batch`` describes.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
from numpy.typing import DTypeLike

from disco2.data.batch import Batch, Floats
from disco2.model.bilinear import spread_to_mentions, sum_mentions


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

    ``d_up`` [leaves + inner, K] is overwritten: gradients that flow from parents to inner children are added
    to it, and to those of leaves only with ``leaves``.
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

    ``d_down`` [roots + down, K] is overwritten. A node is the sibling of one node only: no row is hit twice.
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


Pair = tuple[Floats, Floats]  # something of the first argument, and the same of the second


@dataclass(frozen=True, slots=True)
class Composed:
    """The vectors of a batch, and their gradients."""

    arguments: Pair  # u_m and u_n, [n, K] each
    entities: Pair  # sums of each link's mention vectors d, [links, K] each; empty without a V
    down: Floats  # the downward vectors, [roots + down, K]; empty without a V
    # dL/dU, dL/dV (empty without a V), and where asked for dL/du of the leaves, given the gradients of the
    # arguments and of the sums. Call it once.
    gradients: Callable[[Pair | None, Pair | None], tuple[Floats, Floats, Floats]]


# (batch, vectors [vocabulary, K], U, V or None) -> Composed; an earlier result may be invalid after a call.
Composer = Callable[[Batch, Floats, Floats, Floats | None], Composed]


def compose(
    batch: Batch, vectors: Floats, U: Floats, V: Floats | None, *, trains_leaves: bool = False
) -> Composed:
    """Up all trees and, with a V and a link, down to the mentions: one matrix product a level.

    The twin of ``compiled.CompiledComposer``, in any precision, and what that one is tested by.
    """
    up = compose_upward(batch, vectors[batch.words], U)
    down, entities = up[:0], (up[:0], up[:0])
    if V is not None and len(batch.link_examples):
        down = compose_downward(batch, up, V)
        entities = sum_mentions(down, batch.first_mentions), sum_mentions(down, batch.second_mentions)

    def gradients(d_arguments: Pair | None, d_entities: Pair | None) -> tuple[Floats, Floats, Floats]:
        d_up = np.zeros_like(up)
        if d_arguments is not None:
            d_up[batch.first_roots], d_up[batch.second_roots] = d_arguments
        dV = up[:0] if V is None else np.zeros_like(V)
        if V is not None and len(down) and d_entities is not None:
            d_down = np.zeros_like(down)
            spread_to_mentions(d_entities[0], batch.first_mentions, d_down)
            spread_to_mentions(d_entities[1], batch.second_mentions, d_down)
            dV = downward_gradient(batch, up, down, d_down, V, d_up)
        dU = upward_gradient(batch, up, d_up, U, leaves=trains_leaves)
        return dU, dV, d_up[: len(batch.words) if trains_leaves else 0]

    return Composed((up[batch.first_roots], up[batch.second_roots]), entities, down, gradients)


# Compiled code is used where numba and SciPy are installed (extra ``fast``), unless DISCO2_COMPILED=0 is set.

log = logging.getLogger(__name__)

NEEDED = ("numba", "scipy")
OFF = ("0", "false", "no", "off")


@cache
def is_installed() -> bool:
    """Whether compiled code works. The first call loads it, since installed packages may not fit together."""
    try:
        if all(map(find_spec, NEEDED)):
            import disco2.model.compiled  # noqa: F401

            return True
    except Exception as error:  # a numba that does not support this NumPy may raise anything
        log.warning("Compiled code can't be used, NumPy does the same more slowly: %s", error)
    return False


def is_compiled(*dtypes: DTypeLike) -> bool:
    """Whether compiled code is used for arrays of these kinds: all have to be singles."""
    if os.environ.get("DISCO2_COMPILED", "").lower() in OFF:
        return False
    return all(np.dtype(dtype) == np.float32 for dtype in dtypes) and is_installed()


def fastest_composer(*dtypes: DTypeLike) -> Composer:
    """A composer for vectors and parameters of these kinds, with its own buffers: use it from one thread."""
    if not is_compiled(*dtypes):
        return compose
    from disco2.model.compiled import CompiledComposer

    return CompiledComposer()
