"""The structured large-margin loss of Stern, Andreas & Klein (2017).

With s(T) the sum of the scores of a tree's labelled spans and d(T, G) the number of spans of T whose label is
not that of the gold tree G, where a span without a label counts as labelled with nothing,

    loss = max over T of s(T) + d(T, G),  less s(G).

The best T is found by the parser's own chart, with 1 added to the score of every wrong label.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from disco2.annotation.english.constituents.chart import (
    Integers,
    Spans,
    all_spans,
    best_splits,
    read_trees,
    scores_by_length,
)
from disco2.annotation.english.constituents.network import Rows
from disco2.training.annotators.constituents.examples import Example
from disco2.training.annotators.constituents.model import ParserModule

NOTHING = -1  # the column after the last label: no label at all, which scores 0


def margin_loss(module: ParserModule, encoded: Tensor, places: Rows, batch: Sequence[Example]) -> Tensor:
    """The sum of the losses of a batch; ``places`` are the sentences' first places in ``encoded``.

    The tree that violates the margin most is found without gradients; then only its spans and those of the
    gold tree are scored again with gradients, a small part of all spans.
    """
    lengths = np.array([len(example.numbers.words) - 2 for example in batch], dtype=np.int32)
    gold = gold_spans(batch)
    labels = np.concatenate([example.labels for example in batch])
    sides = module.sides(encoded)
    with torch.no_grad():
        scores = module.scores(*sides, *_tensors(all_spans(lengths), places)).numpy()
    found, guesses, wrong = worst_trees(scores, lengths, gold, labels)
    score_of_found = _sum(module.scores(*sides, *_tensors(found, places)), guesses)
    score_of_gold = _sum(module.scores(*sides, *_tensors(gold, places)), labels)
    return score_of_found + float(wrong) - score_of_gold


def worst_trees(
    scores: NDArray[np.float32], lengths: Integers, gold: Spans, labels: Integers
) -> tuple[Spans, Integers, int]:
    """The labelled spans of the trees with the highest s + d, and d itself.

    ``scores`` [S, L] are those of ``all_spans(lengths)``.
    """
    spans = all_spans(lengths)
    truth = np.full(len(scores), NOTHING, dtype=np.int32)
    truth[span_rows(gold, lengths)] = labels
    raised = np.concatenate([scores, np.zeros((len(scores), 1), dtype=np.float32)], axis=1) + 1.0
    raised[np.arange(len(scores)), truth] -= 1.0
    raised[spans.ends - spans.starts == lengths[spans.sentences], NOTHING] = -np.inf  # a sentence has a label
    best = raised.max(axis=1)
    tree = read_trees(best_splits(scores_by_length(spans, best, lengths)), lengths)
    rows = span_rows(tree, lengths)
    guesses = raised[rows].argmax(axis=1).astype(np.int32)
    labelled = guesses < scores.shape[1]
    truth[truth == NOTHING] = scores.shape[1]
    wrong = int((guesses != truth[rows]).sum())
    return Spans(*(column[labelled] for column in tree)), guesses[labelled], wrong


def gold_spans(batch: Sequence[Example]) -> Spans:
    """The labelled spans of the gold trees."""
    counts = [len(example.starts) for example in batch]
    return Spans(
        np.repeat(np.arange(len(batch), dtype=np.int32), counts),
        np.concatenate([example.starts for example in batch]),
        np.concatenate([example.ends for example in batch]),
    )


def span_rows(spans: Spans, lengths: Integers) -> Rows:
    """Where the spans stand among ``all_spans(lengths)``."""
    sizes = lengths.astype(np.int64)
    counts = sizes * (sizes + 1) // 2
    before = np.cumsum(counts) - counts
    starts = spans.starts.astype(np.int64)
    rows: Rows = (
        before[spans.sentences]
        + starts * sizes[spans.sentences]
        - starts * (starts - 1) // 2
        + (spans.ends - starts - 1)
    )
    return rows


def _tensors(spans: Spans, places: Rows) -> tuple[Tensor, Tensor]:
    """The places of the spans' starts and ends."""
    first = places[spans.sentences]
    return torch.from_numpy(first + spans.starts), torch.from_numpy(first + spans.ends)


def _sum(scores: Tensor, labels: Integers) -> Tensor:
    return scores.gather(1, torch.from_numpy(labels).long()[:, None]).sum()
