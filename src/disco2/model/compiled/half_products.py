"""Composition with the vocabulary pushed through U and V once: leaves cost a look-up, not a product.

A vector u goes up as U_left u or U_right u, by the side it stands on, and down as V_sibling u. Such a half
product of a word never changes, so it is kept in a table [3 vocabulary, K] whose thirds are these three.

Inner nodes are stored by the side they stand on (left children, right children, roots), by level within a
side: the half products of a level are then two products of slices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disco2.data.batch import Ints
from disco2.model.arrays import Floats
from disco2.model.compiled.jit import compiled
from disco2.model.compiled.products import rows_at_a_time
from disco2.model.compiled.tanh import tanh_rows


@compiled
def new_words(words: Ints, known: NDArray[np.bool_], found: Ints) -> int:
    """Writes to ``found`` the words that are not ``known`` yet, each as often as it occurs; their number."""
    count = 0
    for leaf in range(len(words)):
        if not known[words[leaf]]:
            found[count] = words[leaf]
            count += 1
    return count


@compiled
def upward_by_halves(
    words: Ints,
    left: Ints,
    right: Ints,
    levels: Ints,
    table: Floats,
    UT: Floats,
    place: Ints,
    up: Floats,
    halves: Floats,
) -> None:
    """u_i = tanh(U_left u_left + U_right u_right). UT: [2K, K], U transposed.

    Fills ``up`` [inner, K] and, for each inner node, its ``place`` there. ``halves`` [inner, K] is room to
    work in: the half products of those that are children.
    """
    K = UT.shape[1]
    leaves, inner, vocabulary = len(words), len(left), len(table) // 3
    place[:] = 2  # the side, at first: left, right, root
    lefts = rights = 0
    for node in range(inner):
        if left[node] >= leaves:
            place[left[node] - leaves] = 0
            lefts += 1
        if right[node] >= leaves:
            place[right[node] - leaves] = 1
            rights += 1
    next_left, next_right, next_root = 0, lefts, lefts + rights
    block = rows_at_a_time(K * K)
    for level in range(len(levels) - 1):
        for begin in range(levels[level], levels[level + 1], block):
            begin_left, begin_right, begin_root = next_left, next_right, next_root
            for node in range(begin, min(begin + block, levels[level + 1])):
                if place[node] == 0:
                    at = next_left
                    next_left += 1
                elif place[node] == 1:
                    at = next_right
                    next_right += 1
                else:
                    at = next_root
                    next_root += 1
                place[node] = at
                child = left[node]
                one = table[words[child]] if child < leaves else halves[place[child - leaves]]
                child = right[node]
                other = table[vocabulary + words[child]] if child < leaves else halves[place[child - leaves]]
                for k in range(K):
                    up[at, k] = one[k] + other[k]
            tanh_rows(up[begin_left:next_left])
            tanh_rows(up[begin_right:next_right])
            tanh_rows(up[begin_root:next_root])
            if next_left > begin_left:
                np.dot(up[begin_left:next_left], UT[:K], halves[begin_left:next_left])
            if next_right > begin_right:
                np.dot(up[begin_right:next_right], UT[K:], halves[begin_right:next_right])


@compiled
def downward_by_halves(
    words: Ints,
    parents: Ints,
    siblings: Ints,
    levels: Ints,
    table: Floats,
    VT: Floats,
    place: Ints,
    up: Floats,
    row: Ints,
    gathered: Floats,
    halves: Floats,
    down: Floats,
) -> None:
    """d_i = tanh(V_parent d_parent + V_sibling u_sibling). VT: [2K, K]; ``levels``: [levels, 3].

    ``down`` [roots + down, K] begins with the roots' vectors; fills the rest. ``row`` [down],
    ``gathered`` and ``halves`` [down, K] are room to work in.
    """
    K = VT.shape[1]
    leaves, vocabulary, roots = len(words), len(table) // 3, len(down) - len(parents)
    block = rows_at_a_time(K * K)
    inner = 0
    for i in range(len(siblings)):
        if siblings[i] >= leaves:
            sibling = place[siblings[i] - leaves]
            for k in range(K):
                gathered[inner, k] = up[sibling, k]
            row[i] = inner
            inner += 1
    for begin in range(0, inner, block):
        end = min(begin + block, inner)
        np.dot(gathered[begin:end], VT[K:], halves[begin:end])
    for level in range(len(levels)):
        for begin in range(levels[level, 0], levels[level, 2], block):
            end = min(begin + block, levels[level, 2])
            for i in range(begin, end):
                parent = parents[i]
                for k in range(K):
                    gathered[i, k] = down[parent, k]
            np.dot(gathered[begin:end], VT[:K], down[roots + begin : roots + end])
            for i in range(begin, end):
                leaf = siblings[i] < leaves
                half = table[2 * vocabulary + words[siblings[i]]] if leaf else halves[row[i]]
                for k in range(K):
                    down[roots + i, k] += half[k]
            tanh_rows(down[roots + begin : roots + end])


@compiled
def copy_vectors(nodes: Ints, words: Ints, vectors: Floats, place: Ints, up: Floats, to: Floats) -> None:
    """to[i] = the vector of nodes[i], a leaf's or an inner node's."""
    leaves = len(words)
    for i in range(len(nodes)):
        vector = vectors[words[nodes[i]]] if nodes[i] < leaves else up[place[nodes[i] - leaves]]
        for k in range(up.shape[1]):
            to[i, k] = vector[k]
