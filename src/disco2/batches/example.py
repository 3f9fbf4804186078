"""One relation as arrays: what a model reads of it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.trees import ArgumentTree, EntityLink

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class DownwardPaths:
    """The nodes on the way from the root to some mentions, the root itself left out.

    Row 0 stands for the root and row 1+k for ``nodes[k]``; ``parents`` are such rows, ``siblings`` are nodes
    of the tree. ``orders`` is twice the depth, plus one for a right child: sorted by it, nodes come level by
    level, and within one level no two left children, nor two right ones, have the same parent.
    """

    nodes: Ints
    parents: Ints
    siblings: Ints
    orders: Ints


@dataclass(frozen=True, slots=True)
class EncodedArgument:
    """An argument's words and tree; see ``ArgumentTree`` for the numbering of nodes."""

    words: Ints  # [n] row of each leaf in the table of word vectors
    left: Ints  # [n-1]
    right: Ints  # [n-1]
    heights: Ints  # [n-1] 1 for a node above two leaves
    downward: DownwardPaths | None  # None where no mention is aligned


@dataclass(frozen=True, slots=True)
class EncodedLink:
    """An entity link, its mentions given as rows of ``DownwardPaths`` (0 is the root)."""

    first: Ints
    second: Ints


@dataclass(frozen=True, slots=True)
class Example:
    """A relation as arrays. ``label`` is -1 where unknown; ``features`` are the columns that fire.

    ``weight`` is what it counts in training.
    """

    relation: str
    first: EncodedArgument
    second: EncodedArgument
    links: tuple[EncodedLink, ...]
    features: Ints
    label: int
    weight: float = 1.0


def encode_argument(
    tree: ArgumentTree, words: Ints, mentions: Iterable[int]
) -> tuple[EncodedArgument, dict[int, int]]:
    """An argument's arrays, and the downward row of each of the given mention nodes."""
    needed = set(mentions)
    downward, rows = downward_paths(tree, needed) if needed else (None, {})
    return EncodedArgument(words, tree.left, tree.right, heights(tree), downward), rows


def heights(tree: ArgumentTree) -> Ints:
    """How many compositions lie on the longest way down from each inner node."""
    height = [0] * tree.leaves
    for left, right in zip(tree.left.tolist(), tree.right.tolist(), strict=True):
        below_left, below_right = height[left], height[right]
        height.append(1 + (below_left if below_left > below_right else below_right))
    return _ints(height[tree.leaves :])


def downward_paths(tree: ArgumentTree, mentions: set[int]) -> tuple[DownwardPaths, dict[int, int]]:
    """The ancestors of the mentions, themselves included, from the top down."""
    leaves = tree.leaves
    left, right, parent = tree.left.tolist(), tree.right.tolist(), tree.parent.tolist()
    needed: set[int] = set()
    for mention in mentions:
        node = mention
        while parent[node] >= 0 and node not in needed:
            needed.add(node)
            node = parent[node]

    # Parents have higher numbers than their children, so from the highest down a parent comes first.
    from_top = sorted(needed, reverse=True)
    order = {tree.root: 0}
    for node in from_top:
        above = parent[node]
        is_right = right[above - leaves] == node
        order[node] = 2 * (order[above] // 2 + 1) + is_right
    nodes = sorted(needed, key=lambda node: (order[node], node))
    row = {tree.root: 0} | {node: index for index, node in enumerate(nodes, start=1)}
    paths = DownwardPaths(
        nodes=_ints(nodes),
        parents=_ints([row[parent[node]] for node in nodes]),
        siblings=_ints([(left if order[node] % 2 else right)[parent[node] - leaves] for node in nodes]),
        orders=_ints([order[node] for node in nodes]),
    )
    return paths, row


def encode_links(
    links: Iterable[EntityLink], first: dict[int, int], second: dict[int, int]
) -> tuple[EncodedLink, ...]:
    """Entity links in terms of downward rows."""
    return tuple(
        EncodedLink(
            _ints([first[node] for node in link.first]), _ints([second[node] for node in link.second])
        )
        for link in links
    )


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int32)
