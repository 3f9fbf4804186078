"""Compiled twins (numba, extra ``fast``) of what costs most in training: composition and updates.

Single precision only. ``network`` and ``training.loop`` import this module when they use it, so that numba
is loaded only there.

Compiled code is cached on disk beside the source, or in the user's cache if that is not writable;
otherwise every process compiles again.

Sums may be reordered and multiplications joined with additions: that is where the speed comes from, and why
results differ from NumPy's in the last digits. Matrix products are BLAS's own (``np.dot`` on contiguous
arrays, which numba takes from SciPy).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import numba
import numpy as np
import scipy.linalg  # noqa: F401  the BLAS of np.dot in compiled code; loaded now, so that threads knows of it

from disco2.data.batch import Batch, Floats, Ints
from disco2.model.network import Composed, Pair, spread_to_mentions
from disco2.model.parameters import TINY

_Function = TypeVar("_Function", bound=Callable[..., object])

_FREEDOM = {"contract", "reassoc", "arcp", "nsz"}  # not "nnan" or "ninf": a runaway must stay visible


def compiled(function: _Function) -> _Function:
    """The function as machine code; it takes contiguous arrays and does not check indices."""
    made: Any = numba.njit(error_model="numpy", fastmath=_FREEDOM)(function)
    with suppress(RuntimeError, AttributeError):  # no place for the cache; not compiled (NUMBA_DISABLE_JIT)
        made.enable_caching()
    return cast("_Function", made)


# OpenBLAS multiplies matrices that are small enough without packing them first, and is a fifth faster then at
# the sizes that matter here (docs/decisions/006-compiled-composition.md). So a large product is made in
# blocks that count as small, unless these would be so thin that calling costs more than packing.
SMALL = 1_000_000  # multiplications
THINNEST = 32  # rows
MANY = 1024  # rows, for which packing pays


@compiled
def rows_at_a_time(multiplications_a_row: int) -> int:
    """As many rows as make a small product, whose operands then stay in cache."""
    block = SMALL // multiplications_a_row // 16 * 16
    return block if block >= THINNEST else MANY


@compiled
def multiply_transposed(left: Floats, right: Floats, partial: Floats, out: Floats) -> None:
    """out = left' right: [n, m]' x [n, k]. ``partial`` [m, k] is scratch space."""
    block = rows_at_a_time(out.size)
    out[:] = 0
    for begin in range(0, len(left), block):
        end = min(begin + block, len(left))
        np.dot(left[begin:end].T, right[begin:end], partial)
        for i in range(len(out)):
            for j in range(out.shape[1]):
                out[i, j] += partial[i, j]


_LIMIT = np.float32(7.9)  # beyond this, tanh differs from 1 by at most 3e-7
_P1, _P3, _P5, _P7 = (
    np.float32(value)
    for value in (0.9999994258950224, 0.12922691548458884, 0.0029485177599076016, 1.1414737301667568e-05)
)
_Q2, _Q4, _Q6, _Q8 = (
    np.float32(value)
    for value in (0.46255812151236186, 0.023803538106957976, 0.00023839623605493684, 2.457258256639954e-07)
)
_ONE = np.float32(1)


@compiled
def tanh(x: np.float32) -> np.float32:
    """x (p1 + p3 x^2 + p5 x^4 + p7 x^6) / (1 + q2 x^2 + q4 x^4 + q6 x^6 + q8 x^8), within 5e-7 of tanh x.

    Coefficients are by least squares on [0, 7.9], reweighted until the largest error no longer fell. NaN
    stays NaN: both comparisons are false then.
    """
    if x > _LIMIT:
        x = _LIMIT
    if x < -_LIMIT:
        x = -_LIMIT
    y = x * x
    p = ((_P7 * y + _P5) * y + _P3) * y + _P1
    return x * p / ((((_Q8 * y + _Q6) * y + _Q4) * y + _Q2) * y + _ONE)


@compiled
def tanh_rows(rows: Floats) -> None:
    """tanh of every number of a contiguous array, in place."""
    numbers = rows.reshape(rows.size)
    for i in range(len(numbers)):
        numbers[i] = tanh(numbers[i])


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
    """dL/dU, [K, 2K], given the gradients of the roots in the last 2n rows of ``d_slots`` (overwritten).

    ``from_below`` [down, 2K]: the right half of row ``link[node]`` is what the downward pass adds to a node
    as the sibling of another node; a link of -1 means none. On the lowest level all children are leaves, so
    nothing is sent there. ``delta`` [inner, K] and ``partial`` [K, 2K] are scratch space.
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


@compiled
def downward(parents: Ints, levels: Ints, VT: Floats, joined: Floats, down: Floats) -> None:
    """d_i = tanh(V [d_parent; u_sibling]) (paper, eq. 2). VT: [2K, K], V transposed. ``levels``: [levels, 3].

    ``down`` [roots + down, K] begins with the roots' vectors; the right half of ``joined`` [down, 2K] holds
    the siblings'. Fills the rest of both.
    """
    K = VT.shape[1]
    roots = len(down) - len(parents)
    block = rows_at_a_time(VT.size)
    for level in range(len(levels)):
        for begin in range(levels[level, 0], levels[level, 2], block):
            end = min(begin + block, levels[level, 2])
            for node in range(begin, end):
                parent = parents[node]
                for k in range(K):
                    joined[node, k] = down[parent, k]
            np.dot(joined[begin:end], VT, down[roots + begin : roots + end])
            tanh_rows(down[roots + begin : roots + end])


@compiled
def downward_gradient(
    parents: Ints,
    levels: Ints,
    V: Floats,
    joined: Floats,
    down: Floats,
    d_down: Floats,
    delta: Floats,
    d_joined: Floats,
    partial: Floats,
    dV: Floats,
) -> None:
    """dL/dV, [K, 2K], given dL/dd at the mentions in ``d_down`` [roots + down, K], which is overwritten.

    Leaves the gradients of the roots in its first rows, and those of the siblings in the right half of
    ``d_joined`` [down, 2K]. ``delta`` [down, K] and ``partial`` [K, 2K] are scratch space.
    """
    K = len(V)
    roots = len(down) - len(parents)
    block = rows_at_a_time(V.size)
    for level in range(len(levels) - 1, -1, -1):
        for begin in range(levels[level, 0], levels[level, 2], block):
            end = min(begin + block, levels[level, 2])
            for node in range(begin, end):
                for k in range(K):
                    d = down[roots + node, k]
                    delta[node, k] = d_down[roots + node, k] * (1 - d * d)
            np.dot(delta[begin:end], V, d_joined[begin:end])
            for node in range(begin, end):
                parent = parents[node]
                for k in range(K):
                    d_down[parent, k] += d_joined[node, k]
    multiply_transposed(delta, joined, partial, dV)


@compiled
def sum_mentions(down: Floats, rows: Ints, starts: Ints, sizes: Ints) -> Floats:
    """[links, K]: the sum of each link's mention vectors on one side, one after the other."""
    sums = np.zeros((len(starts), down.shape[1]), dtype=np.float32)
    for link in range(len(starts)):
        for row in rows[starts[link] : starts[link] + sizes[link]]:
            for k in range(sums.shape[1]):
                sums[link, k] += down[row, k]
    return sums


class CompiledComposer:
    """``network.compose``: one call up and one down for all levels of a batch.

    Buffers are kept from batch to batch, so a result is valid until the next call.
    """

    def __init__(self) -> None:
        self._held: dict[str, Floats] = {}

    def _room(self, name: str, rows: int, width: int) -> Floats:
        """A contiguous array [rows, width] with undefined contents; it is used again, and never shrinks."""
        held = self._held.get(name)
        if held is None or held.size < rows * width:
            held = self._held[name] = np.empty(rows * width, dtype=np.float32)
        return held[: rows * width].reshape(rows, width)

    def __call__(self, batch: Batch, vectors: Floats, U: Floats, V: Floats | None) -> Composed:
        words = batch.words
        if len(words) and not (words.min() >= 0 and words.max() < len(vectors)):
            raise IndexError(f"word {words.min()} or {words.max()} is not among {len(vectors)}")
        room, K, inner = self._room, len(U), batch.inner_nodes
        slot = np.empty(len(words) + inner, dtype=np.int32)
        slots = room("slots", 2 * (inner + batch.size), K)
        up = room("up", inner, K)
        roots = batch.first_roots, batch.second_roots
        UT = np.ascontiguousarray(U.T)
        upward(words, batch.left, batch.right, batch.levels, *roots, vectors, UT, slot, slots, up)
        joined = room("joined", len(batch.down_parents), 2 * K)
        down, entities = up[:0], (up[:0], up[:0])
        if V is not None and len(batch.link_examples):
            down = room("down", len(batch.down_roots) + len(batch.down_parents), K)
            down[: len(batch.down_roots)] = slots[slot[batch.down_roots]]
            joined[:, K:] = slots[slot[batch.down_siblings]]
            downward(batch.down_parents, batch.down_levels, np.ascontiguousarray(V.T), joined, down)
            one, other = batch.first_mentions, batch.second_mentions
            entities = (
                sum_mentions(down, one.rows, one.starts, one.sizes),
                sum_mentions(down, other.rows, other.starts, other.sizes),
            )

        def gradients(d_arguments: Pair | None, d_entities: Pair | None) -> tuple[Floats, Floats, Floats]:
            d_slots = room("d_slots", len(slots), K)
            d_slots[2 * inner :: 2], d_slots[2 * inner + 1 :: 2] = d_arguments or (0, 0)
            link = np.full(len(slot), -1, dtype=np.int32)
            d_joined = room("d_joined", len(batch.down_parents), 2 * K)
            partial = room("partial", K, 2 * K)
            dV = up[:0] if V is None else np.zeros_like(V)
            if V is not None and len(down) and d_entities is not None:
                d_down = room("d_down", len(down), K)
                d_down.fill(0)
                spread_to_mentions(d_entities[0], batch.first_mentions, d_down)
                spread_to_mentions(d_entities[1], batch.second_mentions, d_down)
                delta = room("delta", len(batch.down_parents), K)
                given = batch.down_parents, batch.down_levels, V, joined, down
                downward_gradient(*given, d_down, delta, d_joined, partial, dV)
                link[batch.down_siblings] = np.arange(len(batch.down_siblings), dtype=np.int32)
                d_slots[slot[batch.down_roots]] += d_down[: len(batch.down_roots)]
            dU = np.empty_like(U)
            delta = room("delta", inner, K)
            given_up = batch.levels, slot, slots, up
            upward_gradient(*given_up, link, d_joined, U, d_slots, delta, partial, dU)
            return dU, dV, up[:0]

        arguments = slots[2 * inner :: 2], slots[2 * inner + 1 :: 2]
        return Composed(arguments, entities, down, gradients)


# The updates of ``training.loop`` with every array read once: no intermediate arrays, one loop each.
_TINY = np.float32(TINY)


@compiled
def penalise(gradient: Floats, theta: Floats, penalty: float) -> Any:
    g, values, share = gradient.reshape(gradient.size), theta.reshape(theta.size), np.float32(penalty)
    total = np.float32(0)
    if share:  # else theta has no part, not even where it has run away
        for i in range(g.size):
            g[i] += share * values[i]
    for i in range(g.size):
        total += g[i] * g[i]
    return total


@compiled
def descend(gradient: Floats, squares: Floats, theta: Floats, shrink: float, rate: float) -> None:
    g, values = gradient.reshape(gradient.size), theta.reshape(theta.size)
    sums = squares.reshape(squares.size)
    factor, step = np.float32(shrink), np.float32(rate)
    for i in range(g.size):
        d = factor * g[i]
        squared = sums[i] + d * d
        sums[i] = squared
        values[i] -= step * d / (np.sqrt(squared) + _TINY)


@compiled
def blend(mean: Floats, theta: Floats, share: float) -> None:
    kept, values, part = mean.reshape(mean.size), theta.reshape(theta.size), np.float32(share)
    for i in range(kept.size):
        kept[i] += part * (values[i] - kept[i])
