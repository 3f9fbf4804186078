"""Charts, trees as spans, and batches of sentences."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from disco2.annotation.english.constituents import (
    LARGEST_BATCH,
    MOST_TOKENS,
    batches_by_length,
    spans_to_tree,
    tree_to_spans,
)
from disco2.annotation.english.span_network import (
    LARGEST_CHART,
    all_spans,
    best_splits,
    chart_portions,
    read_trees,
    scores_by_length,
)
from disco2.data import Constituents
from tests.strategies import constituents

Tree = frozenset[tuple[int, int]]


@cache
def all_trees(start: int, end: int) -> list[Tree]:
    """Every binary tree over some tokens, as its set of spans."""
    if end - start == 1:
        return [frozenset({(start, end)})]
    return [
        left | right | {(start, end)}
        for middle in range(start + 1, end)
        for left in all_trees(start, middle)
        for right in all_trees(middle, end)
    ]


def best_by_enumeration(scores: dict[tuple[int, int], float], length: int) -> float:
    return max(sum(scores[span] for span in tree) for tree in all_trees(0, length))


def chart_trees(scores: NDArray[np.float32], lengths: NDArray[np.int32]) -> list[list[tuple[int, int]]]:
    spans = all_spans(lengths)
    chosen = read_trees(best_splits(scores_by_length(spans, scores, lengths)), lengths)
    trees: list[list[tuple[int, int]]] = [[] for _ in lengths]
    for sentence, start, end in zip(*(column.tolist() for column in chosen), strict=True):
        trees[sentence].append((start, end))
    return trees


@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_the_chart_finds_the_best_of_all_trees(sizes: list[int], seed: int) -> None:
    lengths = np.array(sizes, dtype=np.int32)
    spans = all_spans(lengths)
    scores = np.random.default_rng(seed).normal(size=len(spans.starts)).astype(np.float32)
    trees = chart_trees(scores, lengths)
    for sentence, length in enumerate(sizes):
        own = spans.sentences == sentence
        table = dict(
            zip(
                zip(spans.starts[own].tolist(), spans.ends[own].tolist(), strict=True),
                scores[own].tolist(),
                strict=True,
            )
        )
        found = trees[sentence]
        assert frozenset(found) in all_trees(0, length)
        assert len(found) == 2 * length - 1
        assert sum(table[span] for span in found) == pytest.approx(
            best_by_enumeration(table, length), abs=1e-4
        )


CHAINED = Constituents(
    labels=("S", "NP", "VP", "S", "VP"),
    starts=(0, 0, 1, 2, 2),
    ends=(4, 1, 4, 4, 4),
    parents=(-1, 0, 0, 2, 3),
    tags=("PRP", "VBD", "TO", "VB"),
)


def test_a_unary_chain_is_one_span() -> None:
    assert tree_to_spans(CHAINED) == [(0, 4, "S"), (0, 1, "NP"), (1, 4, "VP"), (2, 4, "S+VP")]


@given(constituents())
def test_a_tree_survives_the_round_trip(tree: Constituents) -> None:
    assert spans_to_tree(tree_to_spans(tree), tree.tags) == tree


@given(st.lists(st.integers(1, 200), max_size=300))
def test_batches_hold_every_sentence_once_and_stay_small(lengths: list[int]) -> None:
    batches = batches_by_length(lengths)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        sizes = [lengths[index] for index in batch]
        assert sizes == sorted(sizes, reverse=True)
        assert len(batch) <= LARGEST_BATCH
        assert len(batch) == 1 or len(batch) * sizes[0] <= MOST_TOKENS


@given(st.lists(st.integers(1, 200), max_size=128))
def test_charts_hold_every_sentence_of_a_batch_in_order_and_stay_small(lengths: list[int]) -> None:
    lengths.sort(reverse=True)
    portions = [lengths[portion] for portion in chart_portions(lengths)]
    assert [length for portion in portions for length in portion] == lengths
    for portion in portions:
        assert len(portion) == 1 or len(portion) * portion[0] ** 2 <= LARGEST_CHART
