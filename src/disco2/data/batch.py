"""Relations as arrays: one ``Example`` each, and many of them as one level-ordered ``Batch``.

Upward rows: the leaves of all trees come first (tree by tree, in text order), then the inner nodes sorted by
height, so that a level is a slice. Trees alternate: the first argument of example 0, its second argument, the
first of example 1, and so on.

Downward rows: the roots of those trees that have aligned mentions come first, then the nodes on the way to
the mentions, sorted by depth and, within one depth, left children before right ones. Every parent is used at
most once in either half of a level, so the gradient is scattered by plain indexed addition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.data.tree import ArgumentTree, EntityLink

Ints = NDArray[np.int32]
Floats = NDArray[np.floating[Any]]  # float32 in use, float64 where gradients are checked


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
    downward: DownwardPaths | None  # None if no mention is aligned


@dataclass(frozen=True, slots=True)
class EncodedLink:
    """An entity link, its mentions given as rows of ``DownwardPaths`` (0 is the root)."""

    first: Ints
    second: Ints


@dataclass(frozen=True, slots=True)
class Example:
    """A relation as arrays; ``features`` are the columns that fire, ``weight`` is its weight in training."""

    relation: str
    first: EncodedArgument
    second: EncodedArgument
    links: tuple[EncodedLink, ...]
    features: Ints
    label: int  # -1 if unknown
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
        height.append(1 + max(height[left], height[right]))
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
    order = {tree.root: 0}
    for node in sorted(needed, reverse=True):
        is_right = right[parent[node] - leaves] == node
        order[node] = 2 * (order[parent[node]] // 2 + 1) + is_right
    nodes = sorted(needed, key=lambda node: (order[node], node))
    row = {tree.root: 0} | {node: index for index, node in enumerate(nodes, start=1)}
    paths = DownwardPaths(
        nodes=_ints(nodes),
        parents=_ints(row[parent[node]] for node in nodes),
        siblings=_ints((left if order[node] % 2 else right)[parent[node] - leaves] for node in nodes),
        orders=_ints(order[node] for node in nodes),
    )
    return paths, row


def encode_links(
    links: Iterable[EntityLink], first: dict[int, int], second: dict[int, int]
) -> tuple[EncodedLink, ...]:
    """Entity links in terms of downward rows."""
    return tuple(
        EncodedLink(_ints(map(first.__getitem__, link.first)), _ints(map(second.__getitem__, link.second)))
        for link in links
    )


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int32)


def _range(count: int) -> Ints:
    return np.arange(count, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class MentionGroups:
    """Which downward rows belong to one side of each link, as one list cut into groups."""

    rows: Ints  # [m] downward rows, link by link
    starts: Ints  # [links] where each link's rows begin
    sizes: Ints  # [links]

    # The same list sorted by row, for the backward pass: several links may share a row.
    links_by_row: Ints  # [m] the link of each entry, entries sorted by row
    row_starts: Ints  # where each distinct row's entries begin
    distinct: Ints  # the distinct rows


@dataclass(frozen=True, slots=True)
class Batch:
    """Level-ordered arrays of n examples; see the module's docstring for the order of rows."""

    size: int
    words: Ints  # [leaves]
    leaf_starts: Ints  # [2n] where each tree's leaves begin
    left: Ints  # [inner] upward row of the left child
    right: Ints  # [inner]
    levels: Ints  # [levels + 1] boundaries of the upward levels among the inner nodes
    first_roots: Ints  # [n] upward rows
    second_roots: Ints  # [n]
    down_roots: Ints  # [trees with mentions] upward rows of their roots
    down_parents: Ints  # [down] downward rows
    down_siblings: Ints  # [down] upward rows
    down_levels: Ints  # [levels, 3] begin, begin of the right children, end; among ``down``
    first_mentions: MentionGroups
    second_mentions: MentionGroups
    link_examples: Ints  # [links] the example of each link, ascending
    feature_rows: Ints  # [fired] example of each fired feature
    feature_columns: Ints  # [fired]
    labels: Ints  # [n] -1 if unknown
    weights: NDArray[np.float32]  # [n] the weight of each example in training

    @property
    def pair_counts(self) -> Ints:
        """[links] how many aligned pairs a link stands for."""
        return self.first_mentions.sizes * self.second_mentions.sizes

    @property
    def inner_nodes(self) -> int:
        return len(self.left)


def collate(examples: Sequence[Example]) -> Batch:
    """Lay out examples as one batch. The result for an example does not depend on its neighbours."""
    trees = [tree for example in examples for tree in (example.first, example.second)]
    every_tree = _range(len(trees))
    leaf_counts = _ints(len(tree.words) for tree in trees)
    leaf_starts = _starts(leaf_counts)
    leaves = int(leaf_counts.sum())
    inner_starts = leaf_starts - every_tree  # a tree has one inner node fewer than leaves
    heights = _concatenate([tree.heights for tree in trees])
    order, rank = _order_and_rank(heights)

    def upward_rows(nodes: Ints, owners: Ints) -> Ints:
        """The rows of nodes that are numbered within their own trees (``owners``)."""
        rows = nodes + leaf_starts[owners]
        inner = nodes >= leaf_counts[owners]
        rows[inner] = leaves + rank[inner_starts[owners[inner]] + nodes[inner] - leaf_counts[owners[inner]]]
        return rows

    inner_owners = np.repeat(every_tree, leaf_counts - 1)
    roots = upward_rows(2 * leaf_counts - 2, every_tree)
    down = _downward(trees)
    links = [link for example in examples for link in example.links]
    every_example = _range(len(examples))
    link_examples = np.repeat(every_example, [len(example.links) for example in examples])
    firsts, seconds = [link.first for link in links], [link.second for link in links]
    return Batch(
        size=len(examples),
        words=_concatenate([tree.words for tree in trees]),
        leaf_starts=leaf_starts,
        left=upward_rows(_concatenate([tree.left for tree in trees]), inner_owners)[order],
        right=upward_rows(_concatenate([tree.right for tree in trees]), inner_owners)[order],
        # Heights are from 1 on, without gaps.
        levels=np.cumsum(np.bincount(heights, minlength=1)).astype(np.int32),
        first_roots=roots[0::2].copy(),
        second_roots=roots[1::2].copy(),
        down_roots=roots[down.trees],
        down_parents=down.parents,
        down_siblings=upward_rows(down.siblings, down.owners),
        down_levels=down.levels,
        first_mentions=_groups(firsts, down.begins[2 * link_examples], down.rows),
        second_mentions=_groups(seconds, down.begins[2 * link_examples + 1], down.rows),
        link_examples=link_examples,
        feature_rows=np.repeat(every_example, [len(example.features) for example in examples]),
        feature_columns=_concatenate([example.features for example in examples]),
        labels=_ints(example.label for example in examples),
        weights=np.array([example.weight for example in examples], dtype=np.float32),
    )


def _order_and_rank(keys: Ints) -> tuple[Ints, Ints]:
    """The stable order of some keys, and the place of each of them in it."""
    order = np.argsort(keys, kind="stable").astype(np.int32)
    rank = np.empty_like(order)
    rank[order] = _range(len(order))
    return order, rank


@dataclass(frozen=True, slots=True)
class _Downward:
    trees: Ints  # trees that have mentions
    begins: Ints  # [all trees] where the rows of a tree's paths begin in ``rows``
    rows: Ints  # downward rows, tree by tree: the root's, then those of its paths' nodes
    parents: Ints
    siblings: Ints
    owners: Ints
    levels: Ints


def _downward(trees: Sequence[EncodedArgument]) -> _Downward:
    owners = _ints(index for index, tree in enumerate(trees) if tree.downward is not None)
    paths = [tree.downward for tree in trees if tree.downward is not None]
    counts = _ints(len(path.nodes) for path in paths)
    orders = _concatenate([path.orders for path in paths])
    order, rank = _order_and_rank(orders)
    roots = _range(len(owners))
    begins = np.zeros(len(trees), dtype=np.int32)
    begins[owners] = _starts(counts) + roots
    rows = np.empty(len(order) + len(owners), dtype=np.int32)
    are_nodes = np.ones(len(rows), dtype=bool)
    are_nodes[begins[owners]] = False
    rows[begins[owners]] = roots
    rows[are_nodes] = len(owners) + rank
    node_owners = np.repeat(owners, counts)
    # Orders are 2 x depth + side, with depths from 1 on.
    depths = int(orders.max()) // 2 if len(orders) else 0
    ends = np.cumsum(np.bincount(orders, minlength=2 * depths + 2))
    return _Downward(
        trees=owners,
        begins=begins,
        rows=rows,
        parents=rows[begins[node_owners] + _concatenate([path.parents for path in paths])][order],
        siblings=_concatenate([path.siblings for path in paths])[order],
        owners=node_owners[order],
        levels=ends[np.arange(depths)[:, None] * 2 + np.array([1, 2, 3])].astype(np.int32),
    )


def _groups(mentions: Sequence[Ints], begins: Ints, downward_rows: Ints) -> MentionGroups:
    """``mentions``: for each link rows of its tree's paths, which begin at ``begins`` among all."""
    sizes = _ints(map(len, mentions))
    rows = downward_rows[np.repeat(begins, sizes) + _concatenate(mentions)]
    by_row = np.argsort(rows, kind="stable")
    distinct, row_starts = np.unique(rows[by_row], return_index=True)
    links = np.repeat(_range(len(sizes)), sizes)
    return MentionGroups(
        rows=rows,
        starts=_starts(sizes),
        sizes=sizes,
        links_by_row=links[by_row],
        row_starts=row_starts.astype(np.int32),
        distinct=distinct.astype(np.int32),
    )


def _starts(counts: Ints) -> Ints:
    starts = np.zeros(len(counts), dtype=np.int32)
    np.cumsum(counts[:-1], out=starts[1:])
    return starts


def _concatenate(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int32)
