"""The constituency parser as an annotator, and on disk."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.annotator import Layer
from disco2.annotation.english.annotators import Component
from disco2.annotation.english.constituents import (
    CLOSING,
    LARGEST_BATCH,
    MOST_TOKENS,
    OPENING,
    RESERVED,
    UNKNOWN,
    Lexicon,
    SpanParser,
    batches_by_length,
    shape,
    spans_to_tree,
)
from disco2.data import Constituents, Sentence
from disco2.errors import BundleError
from disco2.files import read_listed_files
from disco2.vectors import WordVectors
from tests.documents import assert_valid, document_from_words
from tests.strategies import constituents
from tools.annotator.constituents import build_lexicon, tree_to_spans, write_parser

CONSTITUENTS = frozenset({Layer.CONSTITUENTS})

BOB = (["Bob", "gave", "Tina", "the", "burger", "."], ["NNP", "VBD", "NNP", "DT", "NN", "."])


def brackets(tree: Constituents | None) -> set[tuple[str, int, int]]:
    assert tree is not None
    return set(zip(tree.labels, tree.starts, tree.ends, strict=True))


def assert_sound(tree: Constituents | None, words: list[str], tags: list[str]) -> None:
    assert tree is not None
    assert tree.tags == tuple(tags)
    document = document_from_words("d", [[word or "_" for word in words]], tags=[tags])
    assert_valid(replace(document, sentences=(Sentence(0, len(words), tree),)))


def test_a_simple_sentence(shipped_parser: SpanParser) -> None:
    (tree,) = shipped_parser.parse([BOB])
    expected = {("S", 0, 6), ("NP", 0, 1), ("VP", 1, 5), ("NP", 2, 3), ("NP", 3, 5)}
    assert brackets(tree) == expected


@pytest.mark.parametrize(
    ("words", "tags"),
    [
        (["Yes"], ["UH"]),
        (["...", "!", "?"], [":", ".", "."]),
        (["🙂"], ["SYM"]),
        (["\u0643\u062a\u0627\u0628", "e\u0301"], ["FW", "NN"]),
        (["burger", ""], ["", "NOT-A-TAG"]),
    ],
)
def test_odd_sentences_have_a_tree(shipped_parser: SpanParser, words: list[str], tags: list[str]) -> None:
    (tree,) = shipped_parser.parse([(words, tags)])
    assert_sound(tree, words, tags)


def test_a_tree_does_not_depend_on_the_rest_of_the_batch(shipped_parser: SpanParser) -> None:
    sentences = [(BOB[0][:size], BOB[1][:size]) for size in (6, 2, 0, 5, 1, 6, 3)]
    together = shipped_parser.parse(sentences)
    assert together == [shipped_parser.parse([sentence])[0] for sentence in sentences]
    assert together[2] is None
    assert shipped_parser.parse([]) == []


@pytest.mark.parametrize("length", [200, 2000])
def test_long_sentences_need_little_memory(shipped_parser: SpanParser, length: int) -> None:
    words = (["the", "dog", "saw", "a", "cat", "and", ","] * length)[:length]
    tags = (["DT", "NN", "VBD", "DT", "NN", "CC", ","] * length)[:length]
    tracemalloc.start()
    (tree,) = shipped_parser.parse([(words, tags)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert_sound(tree, words, tags)
    assert peak < 100_000_000
    assert (tree is not None and tree.labels[0] == "ROOT") == (length > 200)


def test_documents_get_new_trees_and_keep_the_rest(shipped_parser: SpanParser) -> None:
    document = document_from_words(
        "made-up", [BOB[0], ["She", "ate", "."]], tags=[BOB[1], ["PRP", "VBD", "."]]
    )
    (parsed,) = shipped_parser.annotate([document], layers=CONSTITUENTS)
    assert parsed.tokens == document.tokens
    assert [len(sentence) for sentence in parsed.sentences] == [6, 3]
    assert brackets(parsed.sentences[1].constituents) == {("S", 0, 3), ("NP", 0, 1), ("VP", 1, 2)}
    assert shipped_parser.annotate([document], layers=frozenset()) == [document]


def test_other_word_vectors_are_refused() -> None:
    vectors = WordVectors(("burger",), np.zeros((1, 3), dtype=np.float32))
    with pytest.raises(BundleError, match="100 dimensions"):
        _ = Component("constituents", vectors=lambda: vectors).model


SHAPES = {
    "words": (4, 1),
    "pieces": (2, 1),
    "tags": (4, 1),
    "encoder.0.inputs": (2, 5, 4),
    "encoder.0.recurrent": (2, 1, 4),
    "encoder.0.bias": (2, 4),
    "encoder.1.inputs": (2, 2, 4),
    "encoder.1.recurrent": (2, 1, 4),
    "encoder.1.bias": (2, 4),
    "spans.starts": (2, 3),
    "spans.ends": (2, 3),
    "spans.bias": (3,),
    "spans.gain": (3,),
    "spans.shift": (3,),
    "spans.outputs": (2, 3),
    "spans.output_bias": (2,),
}
VECTORS = WordVectors(("the", "cat"), np.eye(2, dtype=np.float32))
TINY = Lexicon(VECTORS, ("the",), ("-e",), ("DT",))


def test_a_parser_survives_the_round_trip(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    weights = {
        name: chance.normal(size=shape).astype(np.float16).astype(np.float32)
        for name, shape in SHAPES.items()
    }
    write_parser(tmp_path / "parser", weights, ("S", "S+VP"), TINY)
    found = SpanParser.load(read_listed_files(tmp_path / "parser"), lambda: VECTORS)
    assert found._lexicon == TINY
    assert found.parse([BOB]) == SpanParser(weights, ("S", "S+VP"), TINY).parse([BOB])


def test_weights_that_do_not_fit_the_vocabulary_are_refused() -> None:
    weights = {name: np.full(shape, 0.5, dtype=np.float32) for name, shape in SHAPES.items()}
    with pytest.raises(ValueError, match="it needs other labels"):
        SpanParser(weights, ("S",), TINY)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("Cat", "=Xxx"), ("McDonald's", "=XxXxx'x"), ("1999", "=dd"), ("U.S.", "=X.X."), ("", "=")],
)
def test_shapes(word: str, expected: str) -> None:
    assert shape(word) == expected


def test_numbers_have_edges_and_unknowns() -> None:
    lexicon = build_lexicon(
        ["The", "the", "cat"], ["DT", "DT", "NN"], vectors=VECTORS, word_count=2, piece_count=1
    )
    assert lexicon.words == ("the",)
    vectors, words, tags, *pieces = lexicon.numbers(["The", "cat", "zygote"], ["DT", "NN", "XYZ"]).T.tolist()
    assert vectors == [2, 0, 1, 2, 2]
    assert words == [OPENING, RESERVED, UNKNOWN, UNKNOWN, CLOSING]
    assert tags == [OPENING, RESERVED, RESERVED + 1, UNKNOWN, CLOSING]
    assert len(pieces) == 8
    assert all(piece[0] == piece[-1] == 0 < piece[1] for piece in pieces)


def test_a_unary_chain_is_one_span() -> None:
    starts, ends, parents = (0, 0, 1, 2, 2), (4, 1, 4, 4, 4), (-1, 0, 0, 2, 3)
    tree = Constituents(("S", "NP", "VP", "S", "VP"), starts, ends, parents, ("PRP", "VBD", "TO", "VB"))
    assert tree_to_spans(tree) == [(0, 4, "S"), (0, 1, "NP"), (1, 4, "VP"), (2, 4, "S+VP")]


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
