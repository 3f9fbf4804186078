"""The network of the parser against slow and obvious versions: encoder, scorer of spans, chart."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from disco2.annotation.english import span_network as network
from disco2.annotation.english.span_network import (
    EPSILON,
    BiLSTMLayer,
    Packing,
    SpanScorer,
    all_spans,
    best_splits,
    distinct_rows,
    read_trees,
    scores_by_length,
)

SIZES = [5, 3, 3, 1]


def slow_lstm(
    tokens: NDArray[np.float32],
    inputs: NDArray[np.float32],
    recurrent: NDArray[np.float32],
    bias: NDArray[np.float32],
) -> NDArray[np.float32]:
    hidden = recurrent.shape[0]
    state, cell = np.zeros(hidden), np.zeros(hidden)
    outputs = []
    for token in tokens:
        i, f, g, o = np.split(token @ inputs + state @ recurrent + bias, 4)
        i, f, o = (1 / (1 + np.exp(-gate)) for gate in (i, f, o))
        cell = f * cell + i * np.tanh(g)
        state = o * np.tanh(cell)
        outputs.append(state)
    return np.array(outputs)


@pytest.fixture
def weights() -> list[NDArray[np.float32]]:
    random = np.random.default_rng(3)
    return [random.normal(size=shape).astype(np.float32) for shape in ((2, 4, 12), (2, 3, 12), (2, 12))]


@pytest.fixture
def sentences() -> list[NDArray[np.float32]]:
    random = np.random.default_rng(4)
    return [random.normal(size=(size, 4)).astype(np.float32) for size in SIZES]


def slow_layer(
    sentences: list[NDArray[np.float32]], weights: list[NDArray[np.float32]]
) -> list[NDArray[np.float32]]:
    """The outputs of each sentence on its own: forward half, backward half."""
    return [
        np.concatenate(
            [
                slow_lstm(sentence, *(weight[0] for weight in weights)),
                slow_lstm(sentence[::-1], *(weight[1] for weight in weights))[::-1],
            ],
            axis=1,
        )
        for sentence in sentences
    ]


def packed(sentences: list[NDArray[np.float32]], packing: Packing) -> NDArray[np.float32]:
    rows = np.empty((sum(SIZES), 4), dtype=np.float32)
    rows[packing.rows] = np.concatenate(sentences)
    return rows


@pytest.mark.parametrize("together", [1, 4, 1000])
def test_packed_sentences_are_encoded_as_one_by_one(
    weights: list[NDArray[np.float32]],
    sentences: list[NDArray[np.float32]],
    together: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(network, "TOGETHER", together)
    packing = Packing.of(SIZES)
    found = BiLSTMLayer.of(*weights).run(packed(sentences, packing), packing)[packing.rows]
    assert found == pytest.approx(np.concatenate(slow_layer(sentences, weights)), abs=1e-5)


def test_inputs_that_repeat_are_given_once(
    weights: list[NDArray[np.float32]], sentences: list[NDArray[np.float32]]
) -> None:
    packing = Packing.of(SIZES)
    distinct = sentences[0]
    which = np.array([0, 4, 0, 2, 1, 1, 1, 3, 0, 2, 4, 4])
    layer = BiLSTMLayer.of(*weights)
    assert layer.run(distinct, packing, which=which) == pytest.approx(
        layer.run(distinct[which], packing), abs=1e-6
    )


def test_the_last_token_of_each_direction_can_be_left_out(
    weights: list[NDArray[np.float32]], sentences: list[NDArray[np.float32]]
) -> None:
    packing = Packing.of(SIZES)
    layer = BiLSTMLayer.of(*weights)
    found = layer.run(packed(sentences, packing), packing, to_the_end=False)[packing.rows]
    for outputs, offset in zip(slow_layer(sentences, weights), packing.offsets, strict=True):
        outputs[-1, :3] = 0.0
        outputs[0, 3:] = 0.0
        assert found[offset : offset + len(outputs)] == pytest.approx(outputs, abs=1e-5)


@pytest.fixture
def stored() -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(8)
    shapes = {
        "starts": (4, 6),
        "ends": (4, 6),
        "bias": (6,),
        "gain": (6,),
        "shift": (6,),
        "outputs": (3, 6),
        "output_bias": (3,),
    }
    weights = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    weights["gain"][:3] = [0.0, 0.0, -0.7]
    weights["shift"][:3] = [0.4, -0.3, 0.2]
    return weights


def slow_scores(
    stored: dict[str, NDArray[np.float32]], begin: NDArray[np.float32], finish: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The scores of the labels of the span between two places."""
    vector = begin @ stored["starts"] + finish @ stored["ends"] + stored["bias"]
    vector = (vector - vector.mean()) / np.sqrt(vector.var() + EPSILON)
    hidden = np.maximum(stored["gain"] * vector + stored["shift"], 0.0)
    return stored["outputs"] @ hidden + stored["output_bias"]


@pytest.mark.parametrize("chunk", [1, 4, 2048])
def test_spans_are_scored_as_one_by_one(
    stored: dict[str, NDArray[np.float32]], chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "CHUNK", chunk)
    encoded = np.random.default_rng(9).normal(size=(8, 4)).astype(np.float32)
    starts, ends = np.triu_indices(8, k=1)
    prepared = SpanScorer.of(*stored.values())
    spans = (*prepared.places(encoded), starts, ends)
    expected = np.array(
        [slow_scores(stored, encoded[start], encoded[end]) for start, end in zip(starts, ends, strict=True)]
    )
    assert pytest.approx(expected, abs=1e-5) == np.concatenate(list(prepared.scores(*spans)), axis=1).T


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
def test_distinct_rows_make_the_table_again(rows: list[tuple[int, int]]) -> None:
    table = np.array(rows, dtype=np.int32)
    distinct, which = distinct_rows(table)
    assert distinct.tolist() == [list(row) for row in dict.fromkeys(rows)]
    assert np.array_equal(distinct[which], table)


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
        pairs = zip(spans.starts[own].tolist(), spans.ends[own].tolist(), strict=True)
        table = dict(zip(pairs, scores[own].tolist(), strict=True))
        found = trees[sentence]
        assert frozenset(found) in all_trees(0, length)
        assert len(found) == 2 * length - 1
        assert sum(table[span] for span in found) == pytest.approx(
            best_by_enumeration(table, length), abs=1e-4
        )
