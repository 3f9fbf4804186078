"""The best binary tree over scored spans (CKY), for a batch of sentences at once.

The score of a tree is the sum of the scores of its spans (Stern, Andreas & Klein 2017). With s(i, j) the
score of the best label of a span, which is 0 for no label at all,

    best(i, j) = s(i, j) + max over k of best(i, k) + best(k, j),    best(i, i + 1) = s(i, i + 1).

All spans of one length, in all sentences, are one step. The chart is kept twice, by start and by end, both
with the length as last axis: then the two halves of all ways to split a span are two plain slices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disco2.data import Constituents

Integers = NDArray[np.int32]


class Spans(NamedTuple):
    """Spans of a batch of sentences."""

    sentences: Integers
    starts: Integers
    ends: Integers  # exclusive


def all_spans(lengths: Integers) -> Spans:
    """Every span of every sentence, sentence by sentence, in order of start and end."""
    starts_by_length: dict[int, tuple[Integers, Integers]] = {}
    for length in set(lengths.tolist()):
        starts, ends = np.triu_indices(length)
        starts_by_length[length] = (starts.astype(np.int32), ends.astype(np.int32) + 1)
    found = [starts_by_length[length] for length in lengths.tolist()]
    counts = [len(starts) for starts, _ in found]
    return Spans(
        np.repeat(np.arange(len(lengths), dtype=np.int32), counts),
        np.concatenate([starts for starts, _ in found]),
        np.concatenate([ends for _, ends in found]),
    )


def scores_by_length(spans: Spans, scores: NDArray[np.float32], lengths: Integers) -> NDArray[np.float32]:
    """``table[b, l, i]`` is the score of the span of l tokens from i on in sentence b."""
    longest = int(lengths.max())
    table = np.zeros((len(lengths), longest + 1, longest), dtype=np.float32)
    table[spans.sentences, spans.ends - spans.starts, spans.starts] = scores
    return table


def best_splits(table: NDArray[np.float32]) -> NDArray[np.int16]:
    """For each span of ``table[b, l, i]``, the length of the left half of its best split.

    Spans that reach beyond a sentence's end are computed too; no span within it is made of them.
    """
    batch, _, longest = table.shape
    from_start = np.zeros((batch, longest + 1, longest + 1), dtype=np.float32)  # [b, start, length]
    to_end = np.zeros((batch, longest + 1, longest + 1), dtype=np.float32)  # [b, end, length]
    splits = np.zeros(table.shape, dtype=np.int16)
    from_start[:, :longest, 1] = table[:, 1]
    to_end[:, 1:, 1] = table[:, 1]
    for length in range(2, longest + 1):
        count = longest - length + 1
        left = from_start[:, :count, 1:length]
        right = to_end[:, length:, length - 1 : 0 : -1]
        both = left + right  # [b, start, length of the left half - 1]
        choice = both.argmax(axis=2)
        best = np.take_along_axis(both, choice[:, :, None], axis=2)[:, :, 0] + table[:, length, :count]
        splits[:, length, :count] = choice + 1
        from_start[:, :count, length] = best
        to_end[:, length:, length] = best
    return splits


def read_trees(splits: NDArray[np.int16], lengths: Integers) -> Spans:
    """The spans of each sentence's best tree, 2 n - 1 for n tokens; level by level, all sentences at once."""
    sentences = np.arange(len(lengths), dtype=np.int32)
    starts, ends = np.zeros_like(sentences), lengths.astype(np.int32)
    levels: list[Spans] = []
    while len(sentences):
        levels.append(Spans(sentences, starts, ends))
        wide = ends - starts > 1
        sentences, starts, ends = sentences[wide], starts[wide], ends[wide]
        middles = starts + splits[sentences, ends - starts, starts]
        sentences = np.concatenate([sentences, sentences])
        starts, ends = np.concatenate([starts, middles]), np.concatenate([middles, ends])
    return Spans(*(np.concatenate(columns) for columns in zip(*levels, strict=True)))


# Trees as labelled spans, one span for each unary chain, and back. A chain of phrases over the same tokens is
# one span whose label names them from the outermost to the innermost: ``S+VP``. So a tree of phrases is a set
# of spans that do not cross, each with one label.


CHAIN = "+"

LabelledSpan = tuple[int, int, str]  # start, end (exclusive), chain of labels


def tree_to_spans(tree: Constituents) -> list[LabelledSpan]:
    """The spans of a tree in pre-order; the first covers the sentence."""
    chains: dict[tuple[int, int], list[str]] = {}
    for label, start, end in zip(tree.labels, tree.starts, tree.ends, strict=True):
        chains.setdefault((start, end), []).append(label)
    return [(start, end, CHAIN.join(labels)) for (start, end), labels in chains.items()]


def spans_to_tree(spans: Iterable[LabelledSpan], tags: Sequence[str]) -> Constituents:
    """The tree of spans that do not cross, one of which covers the sentence, over tokens with these tags."""
    labels: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    parents: list[int] = []
    open_nodes: list[int] = []  # from node 0 down to the last node made
    for start, end, chain in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_nodes and ends[open_nodes[-1]] <= start:
            open_nodes.pop()
        for label in chain.split(CHAIN):
            parents.append(open_nodes[-1] if open_nodes else -1)
            open_nodes.append(len(labels))
            labels.append(label)
            starts.append(start)
            ends.append(end)
    return Constituents(tuple(labels), tuple(starts), tuple(ends), tuple(parents), tuple(tags))


# Sentences of similar length parsed together. The encoder takes many sentences at once, for its products are
# quickest with some hundred. The chart takes fewer, for each costs it as much as the longest of them.


LARGEST_BATCH = 128  # sentences encoded at once
MOST_TOKENS = 3_000  # encoded at once, in sentences taken to be as long as the longest
LARGEST_CHART = 100_000  # square of the longest length times sentences, in one chart


def batches_by_length(lengths: Sequence[int]) -> list[list[int]]:
    """The indices of sentences in falling order of length, in batches for the encoder."""
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batches: list[list[int]] = []
    first = 0
    while first < len(order):
        size = max(1, min(LARGEST_BATCH, MOST_TOKENS // lengths[order[first]]))
        batches.append(order[first : first + size])
        first += size
    return batches


def chart_portions(lengths: Sequence[int]) -> list[slice]:
    """A batch whose lengths never rise, in portions whose charts are small."""
    portions: list[slice] = []
    first = 0
    while first < len(lengths):
        size = max(1, LARGEST_CHART // lengths[first] ** 2)
        portions.append(slice(first, min(first + size, len(lengths))))
        first += size
    return portions
