"""Random argument trees and examples, for tests and benchmarks."""

from __future__ import annotations

import numpy as np

from disco2.data.batch import Example, encode_argument, encode_links
from disco2.data.tree import ArgumentTree, EntityLink


def random_tree(generator: np.random.Generator, leaves: int) -> ArgumentTree:
    """A binary tree over ``leaves`` words: neighbours are joined at random until one node is left."""
    inner_left, inner_right = [], []
    parent = [-1] * (2 * leaves - 1)
    starts, ends = list(range(leaves)), list(range(1, leaves + 1))
    row = list(range(leaves))
    while len(row) > 1:
        place = int(generator.integers(len(row) - 1))
        left, right, node = row[place], row[place + 1], leaves + len(inner_left)
        inner_left.append(left)
        inner_right.append(right)
        parent[left] = parent[right] = node
        starts.append(starts[left])
        ends.append(ends[right])
        row[place : place + 2] = [node]
    arrays = (np.array(array, dtype=np.int32) for array in (inner_left, inner_right, parent, starts, ends))
    return ArgumentTree(tuple(range(leaves)), *arrays)


def random_links(
    generator: np.random.Generator, first: ArgumentTree, second: ArgumentTree, *, chains: int, mentions: int
) -> list[EntityLink]:
    """Chains with one to ``mentions`` nodes on each side, any node of the tree, the root included."""

    def nodes(tree: ArgumentTree) -> tuple[int, ...]:
        count = min(int(generator.integers(1, mentions + 1)), tree.root + 1)
        return tuple(sorted(generator.choice(tree.root + 1, size=count, replace=False).tolist()))

    return [EntityLink(str(chain), nodes(first), nodes(second)) for chain in range(chains)]


def random_example(
    generator: np.random.Generator,
    *,
    words: tuple[int, int],
    vocabulary: int,
    labels: int,
    features: int = 0,
    chains: int = 0,
    mentions: int = 1,
    fired: int = 5,
) -> tuple[Example, ArgumentTree, ArgumentTree, list[EntityLink]]:
    """An example, with the trees and links it was made of."""
    first, second = (random_tree(generator, count) for count in words)
    links = random_links(generator, first, second, chains=chains, mentions=mentions)
    encoded = []
    rows = []
    for tree, side in ((first, "first"), (second, "second")):
        word_rows = generator.integers(vocabulary, size=tree.leaves).astype(np.int32)
        argument, row = encode_argument(
            tree, word_rows, [node for link in links for node in getattr(link, side)]
        )
        encoded.append(argument)
        rows.append(row)
    columns = np.sort(generator.choice(features, size=min(fired, features), replace=False)).astype(np.int32)
    example = Example(
        relation="generated",
        first=encoded[0],
        second=encoded[1],
        links=encode_links(links, rows[0], rows[1]),
        features=columns,
        label=int(generator.integers(labels)),
    )
    return example, first, second, links
