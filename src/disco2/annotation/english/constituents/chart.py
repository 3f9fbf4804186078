"""The best binary tree over scored spans (CKY), for a batch of sentences at once.

The score of a tree is the sum of the scores of its spans (Stern, Andreas & Klein 2017). With s(i, j) the
score of the best label of a span, which is 0 for no label at all,

    best(i, j) = s(i, j) + max over k of best(i, k) + best(k, j),    best(i, i + 1) = s(i, i + 1).

All spans of one length, in all sentences, are one step. The chart is kept twice, by start and by end, both
with the length as last axis: then the two halves of all ways to split a span are two plain slices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
