"""The binary tree of an argument, as flat arrays.

Layout: an argument of n tokens has the leaves 0 .. n-1 in text order and the inner nodes n .. 2n-2, every
child before its parent, so the root is the last node and one loop over the inner nodes walks it upwards. A
one-word argument is a single leaf that is also the root.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.errors import InputError
from disco2.records import Constituents, Document, Relation
from disco2.trees.pieces import pieces

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
            subtrees.append(builder.join(list(range(first_leaf, first_leaf + len(local)))))
        else:
            subtrees.extend(_subtrees_inside(sentence.constituents, local, first_leaf, builder))
        first_leaf += len(local)
    builder.join(subtrees)
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

    def join(self, nodes: list[int]) -> int:
        """The root of a right-branching tree over the given nodes."""
        top = nodes[-1]
        for node in reversed(nodes[:-1]):
            inner = self.leaves + len(self.left)
            self.left.append(node)
            self.right.append(top)
            self.parent[node] = self.parent[top] = inner
            self.starts.append(self.starts[node])
            self.ends.append(self.ends[top])
            top = inner
        return top

    def tree(self, tokens: tuple[int, ...]) -> ArgumentTree:
        arrays = (self.left, self.right, self.parent, self.starts, self.ends)
        return ArgumentTree(tokens, *(np.array(array, dtype=np.int32) for array in arrays))


def _subtrees_inside(
    phrases: Constituents, tokens: list[int], first_leaf: int, builder: _Builder
) -> list[int]:
    """Build the maximal subtrees over the given tokens of one sentence; their roots in text order.

    A phrase lies inside the argument when all its tokens do, and then so do its descendants. Pre-order puts
    children behind their parents, so a walk from the back meets every child before its parent.
    """
    leaf_of = {token: first_leaf + position for position, token in enumerate(tokens)}
    before = [0] * (len(phrases.tags) + 1)  # before[t]: how many of the argument's tokens precede t
    for token in range(len(phrases.tags)):
        before[token + 1] = before[token] + (token in leaf_of)

    inside = [
        before[end] - before[start] == end - start
        for start, end in zip(phrases.starts, phrases.ends, strict=True)
    ]
    children: list[list[int]] = [[] for _ in inside]
    tops: list[int] = []
    for node, parent in enumerate(phrases.parents):
        if inside[node]:
            (children[parent] if parent >= 0 and inside[parent] else tops).append(node)

    built: dict[int, int] = {}

    def parts(nodes: list[int], start: int, end: int) -> list[int]:
        """The built subtrees of some nodes and the leaves that none of them covers, in text order."""
        roots: list[int] = []
        position = start
        for node in nodes:
            roots.extend(
                leaf_of[token] for token in range(position, phrases.starts[node]) if token in leaf_of
            )
            roots.append(built[node])
            position = phrases.ends[node]
        roots.extend(leaf_of[token] for token in range(position, end) if token in leaf_of)
        return roots

    for node in reversed(range(len(inside))):
        if inside[node]:
            built[node] = builder.join(parts(children[node], phrases.starts[node], phrases.ends[node]))
    return parts(tops, 0, len(phrases.tags))
