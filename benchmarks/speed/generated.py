"""Made-up relations with GUM's statistics: lengths, shapes of trees, entities, words, features, labels.

Nothing is read: the same seed gives the same relations on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed import gum_statistics as gum
from benchmarks.speed.made import Made
from disco2.data.batch import Example, Ints, encode_argument, encode_links
from disco2.data.tree import ArgumentTree, EntityLink

# Chosen so that the statistics of ``gum_statistics`` come out.
LENGTH_SHAPE, LENGTH_SCALE = 2.05, 8.4  # of the gamma distribution of lengths
FIRST_WORD_ALONE = 0.73  # how often the left child is a single word, whatever the length
WIDEST_LEFT = 0.7  # else its share of the words is uniform up to this
SINGLE_MENTION = 0.71  # how often an entity has no further mention in an argument
WORD_OFFSET, WORD_POWER = 2.0, 1.18  # the word of rank r: 1 / (r + 2)^1.18, r from 1 on
FEATURE_RANK, FEATURE_POWER, FEATURE_TOP = 20.0, 1.1, 0.765  # rank r fires in 0.765 / (1 + r / 20)^1.1


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to generate; None: as in GUM."""

    words: int | None = None  # in every argument
    mentions: int | None = None  # of one entity, in each argument of every relation
    labels: int = gum.LABELS
    features: int = gum.FEATURES
    vocabulary: int = gum.VOCABULARY


def generate(count: int, recipe: Recipe | None = None, *, seed: int = 1) -> list[Made]:
    """Relations by a recipe."""
    recipe = recipe or Recipe()
    draw = np.random.default_rng(seed)
    lengths = _lengths(draw, count, recipe)
    word_rates = _cumulated((np.arange(1, recipe.vocabulary + 1) + WORD_OFFSET) ** -WORD_POWER)
    label_shares = np.array(gum.LABEL_SHARES[: recipe.labels])
    label_shares /= label_shares.sum()
    fire = FEATURE_TOP / (1 + np.arange(recipe.features) / FEATURE_RANK) ** FEATURE_POWER
    fire = draw.permutation(fire)
    made = []
    for number, (m, n) in enumerate(lengths.tolist()):
        first, second = tree(draw, m), tree(draw, n)
        links = _links(draw, first, second, recipe)
        columns = np.flatnonzero(draw.random(recipe.features) < fire).astype(np.int32)
        words = np.searchsorted(word_rates, draw.random(m + n)).astype(np.int32)
        label = int(draw.choice(len(label_shares), p=label_shares))
        made.append(_made(f"generated:{number}", first, second, links, words, columns, label))
    return made


def tree(draw: np.random.Generator, leaves: int) -> ArgumentTree:
    """A binary tree that mostly branches to the right, as English phrases do."""
    if leaves == 1:
        return _numbered([], [], 1)
    # From the top down: spans to split, then numbered from the bottom up.
    spans: list[tuple[int, int, int]] = []  # start, middle, end
    waiting = [(0, leaves)]
    random = draw.random((leaves - 1, 2)).tolist()
    while waiting:
        start, end = waiting.pop()
        alone, place = random[len(spans)]
        width = end - start
        middle = start + 1
        if alone >= FIRST_WORD_ALONE:
            middle = start + min(width - 1, 1 + int(place * WIDEST_LEFT * width))
        spans.append((start, middle, end))
        waiting.extend(span for span in ((start, middle), (middle, end)) if span[1] - span[0] > 1)
    node_of = {(place, place + 1): place for place in range(leaves)}
    left: list[int] = []
    right: list[int] = []
    for start, middle, end in reversed(spans):
        left.append(node_of[start, middle])
        right.append(node_of[middle, end])
        node_of[start, end] = leaves + len(left) - 1
    return _numbered(left, right, leaves)


def _numbered(left: Sequence[int], right: Sequence[int], leaves: int) -> ArgumentTree:
    parent = [-1] * (2 * leaves - 1)
    starts, ends = list(range(leaves)), list(range(1, leaves + 1))
    for inner, (one, other) in enumerate(zip(left, right, strict=True), leaves):
        parent[one] = parent[other] = inner
        starts.append(starts[one])
        ends.append(ends[other])
    arrays = (np.array(values, dtype=np.int32) for values in (left, right, parent, starts, ends))
    return ArgumentTree(tuple(range(leaves)), *arrays)


def _lengths(draw: np.random.Generator, count: int, recipe: Recipe) -> NDArray[np.int64]:
    """[count, 2]: words in each argument; what the two gamma variables share makes them correlate."""
    if recipe.words is not None:
        return np.full((count, 2), recipe.words)
    shared = draw.gamma(gum.WORDS_CORRELATION * LENGTH_SHAPE, LENGTH_SCALE, size=(count, 1))
    own = draw.gamma((1 - gum.WORDS_CORRELATION) * LENGTH_SHAPE, LENGTH_SCALE, size=(count, 2))
    return 1 + np.floor(shared + own).astype(np.int64)


def _links(
    draw: np.random.Generator, first: ArgumentTree, second: ArgumentTree, recipe: Recipe
) -> list[EntityLink]:
    chains = 1
    if recipe.mentions is None:
        chains = int(draw.choice(len(gum.LINK_SHARES), p=gum.LINK_SHARES))

    def nodes(side: ArgumentTree) -> tuple[int, ...]:
        wanted = int(draw.geometric(SINGLE_MENTION)) if recipe.mentions is None else recipe.mentions
        found: set[int] = set()
        for _ in range(4 * wanted):  # short arguments may not have so many nodes
            leaf = draw.random() < gum.LEAF_MENTIONS or side.leaves < 3
            found.add(int(draw.integers(side.leaves) if leaf else draw.integers(side.leaves, side.root)))
            if len(found) == wanted:
                break
        return tuple(sorted(found))

    return [EntityLink(str(chain), nodes(first), nodes(second)) for chain in range(chains)]


def _made(
    name: str,
    first: ArgumentTree,
    second: ArgumentTree,
    links: list[EntityLink],
    words: Ints,
    columns: Ints,
    label: int,
) -> Made:
    one, first_rows = encode_argument(first, words[: first.leaves], {i for link in links for i in link.first})
    other, second_rows = encode_argument(
        second, words[first.leaves :], {j for link in links for j in link.second}
    )
    example = Example(name, one, other, encode_links(links, first_rows, second_rows), columns, label)
    return Made(example, first, second, links)


def _cumulated(rates: NDArray[np.floating]) -> NDArray[np.floating]:
    total = np.cumsum(rates)
    total /= total[-1]
    return total
