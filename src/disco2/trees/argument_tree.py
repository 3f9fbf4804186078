"""The binary tree of an argument, as flat arrays.

Layout: an argument of n tokens has the leaves 0 .. n-1 in text order and the inner nodes n .. 2n-2, every
child before its parent, so the root is the last node and one loop over the inner nodes walks it upwards. A
one-word argument is a single leaf that is also the root.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.errors import InputError
from disco2.records import Constituents, Document, Relation
from disco2.trees.pieces import pieces, runs_from_the_right

Nodes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class ArgumentTree:
    """Binary tree over the tokens of one argument; node numbers as the module's docstring says."""

    tokens: tuple[int, ...]  # the document's tokens at the leaves
    left: Nodes  # [n-1] left child of inner node n+j
    right: Nodes  # [n-1] right child of inner node n+j
    parent: Nodes  # [2n-1] -1 for the root
    starts: Nodes  # [2n-1] first leaf below a node
    ends: Nodes  # [2n-1] last leaf below a node, plus one

    @property
    def leaves(self) -> int:
        return len(self.tokens)

    @property
    def root(self) -> int:
        return 2 * len(self.tokens) - 2

    def sibling(self, node: int) -> int:
        """The other child of a node's parent."""
        inner = int(self.parent[node]) - self.leaves
        left = int(self.left[inner])
        return int(self.right[inner]) if left == node else left


def argument_tree(document: Document, tokens: tuple[int, ...], *, relation: Relation) -> ArgumentTree:
    """Join the maximal subtrees inside an argument by a right-branching superstructure.

    Unary chains collapse, and n-ary nodes branch to the right, keeping the order of the words. A sentence
    without constituents counts as one flat phrase.
    """
    if not tokens:
        raise InputError(
            f"An argument of relation {relation.id} has no token in the text of document {document.id}.",
            where=relation.where,
            hint="Check the argument's spans against the text, or leave the relation out.",
        )
    builder = _Builder(len(tokens))
    subtrees: list[int] = []
    first_leaf = 0
    for sentence, local in pieces(document, tokens):
        if sentence.constituents is None:
            subtrees.append(builder.join(range(first_leaf + len(local) - 1, first_leaf - 1, -1)))
        else:
            subtrees.extend(reversed(_subtrees_inside(sentence.constituents, local, first_leaf, builder)))
        first_leaf += len(local)
    builder.join(subtrees[::-1])
    return builder.tree(tokens)


class _Builder:
    """Grows inner nodes on top of n leaves."""

    def __init__(self, leaves: int) -> None:
        self.leaves = leaves
        self.left: list[int] = []
        self.right: list[int] = []
        self.parent = [-1] * (2 * leaves - 1)
        self.starts = [*range(leaves)]
        self.ends = [*range(1, leaves + 1)]

    def join(self, nodes: Sequence[int]) -> int:
        """The root of a right-branching tree over the given nodes, which come from right to left."""
        left, right, parent, starts, ends = self.left, self.right, self.parent, self.starts, self.ends
        top = nodes[0]
        for node in nodes[1:]:
            inner = len(starts)
            left.append(node)
            right.append(top)
            parent[node] = parent[top] = inner
            starts.append(starts[node])
            ends.append(ends[top])
            top = inner
        return top

    def tree(self, tokens: tuple[int, ...]) -> ArgumentTree:
        # Two arrays, cut up, for making an array takes longer than filling it; examples keep only the first.
        children = np.array(self.left + self.right, dtype=np.int32)
        rest = np.array(self.parent + self.starts + self.ends, dtype=np.int32)
        inner, nodes = len(self.left), len(self.parent)
        parent, starts, ends = rest[:nodes], rest[nodes : 2 * nodes], rest[2 * nodes :]
        return ArgumentTree(tokens, children[:inner], children[inner:], parent, starts, ends)


def _subtrees_inside(
    phrases: Constituents, tokens: list[int], first_leaf: int, builder: _Builder
) -> list[int]:
    """Build the maximal subtrees over the given tokens of one sentence; their roots from right to left.

    A phrase lies inside the argument when all its tokens do: then it lies inside one run of adjacent tokens.
    """
    roots: list[int] = []
    for begin, end in runs_from_the_right(tokens):
        first_leaf_of_run = first_leaf + bisect_left(tokens, begin)
        roots.extend(_subtrees_of_run(phrases, begin, end, first_leaf_of_run, builder))
    return roots


def _subtrees_of_run(
    phrases: Constituents, begin: int, end: int, first_leaf: int, builder: _Builder
) -> list[int]:
    """Build the maximal subtrees over the tokens ``begin`` to ``end``; their roots from right to left.

    Pre-order puts children behind their parents and sorts phrases by where they start, so a walk from the
    back meets every child before its parent, and the words from right to left.
    """
    starts, ends, first_leaf_below = phrases.starts, phrases.ends, builder.starts
    to_leaf = first_leaf - begin
    roots: list[int] = []  # what is built and has no parent yet, from right to left
    reached = end + to_leaf  # they cover the leaves from here on
    for node in range(bisect_right(starts, end - 1) - 1, bisect_left(starts, begin) - 1, -1):
        if ends[node] > end or ends[node] == starts[node]:
            continue
        start = starts[node] + to_leaf
        while reached > start:  # words of this phrase, or behind it, that no smaller phrase covers
            reached -= 1
            roots.append(reached)
        first, stop = len(roots) - 1, ends[node] + to_leaf
        while first and first_leaf_below[roots[first - 1]] < stop:
            first -= 1
        if first < len(roots) - 1:  # not only the one that a unary chain ends in
            roots[first:] = [builder.join(roots[first:])]
    roots.extend(range(reached - 1, first_leaf - 1, -1))
    return roots
