"""The shipped parser on made-up sentences, ordinary and not."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from disco2.annotation.annotator import Layer
from disco2.annotation.english.constituents.parser import SpanParser
from disco2.annotation.layers import document_from_words
from disco2.errors import BundleError
from disco2.records import Constituents
from disco2.vectors import WordVectors

CONSTITUENTS = frozenset({Layer.CONSTITUENTS})

BOB = (
    ["Bob", "gave", "Tina", "the", "burger", "."],
    ["NNP", "VBD", "NNP", "DT", "NN", "."],
)


def brackets(tree: Constituents | None) -> set[tuple[str, int, int]]:
    assert tree is not None
    return set(zip(tree.labels, tree.starts, tree.ends, strict=True))


def assert_sound(tree: Constituents | None, tags: list[str]) -> None:
    """A tree over all tokens, in pre-order, whose nodes lie within their parents."""
    assert tree is not None
    assert tree.tags == tuple(tags)
    assert (tree.starts[0], tree.ends[0], tree.parents[0]) == (0, len(tags), -1)
    for node in range(1, len(tree.labels)):
        parent = tree.parents[node]
        assert 0 <= parent < node
        assert tree.starts[parent] <= tree.starts[node] < tree.ends[node] <= tree.ends[parent]


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
    assert_sound(tree, tags)


def test_a_sentence_without_words_has_no_tree(shipped_parser: SpanParser) -> None:
    assert shipped_parser.parse([([], []), BOB])[0] is None
    assert shipped_parser.parse([]) == []


def test_a_tree_does_not_depend_on_the_rest_of_the_batch(shipped_parser: SpanParser) -> None:
    sentences = [(words[:size], tags[:size]) for words, tags in (BOB,) for size in (6, 2, 5, 1, 6, 3)]
    together = shipped_parser.parse(sentences)
    assert together == [shipped_parser.parse([sentence])[0] for sentence in sentences]


@pytest.mark.parametrize("length", [200, 2000])
def test_long_sentences_need_little_memory(shipped_parser: SpanParser, length: int) -> None:
    words = (["the", "dog", "saw", "a", "cat", "and", ","] * length)[:length]
    tags = (["DT", "NN", "VBD", "DT", "NN", "CC", ","] * length)[:length]
    tracemalloc.start()
    (tree,) = shipped_parser.parse([(words, tags)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert_sound(tree, tags)
    assert peak < 100_000_000
    assert (tree is not None and tree.labels[0] == "ROOT") == (length > 200)


def test_a_long_sentence_without_punctuation_has_a_tree(shipped_parser: SpanParser) -> None:
    words, tags = ["burger"] * 700, ["NN"] * 700
    (tree,) = shipped_parser.parse([(words, tags)])
    assert_sound(tree, tags)


def test_documents_get_new_trees_and_keep_the_rest(shipped_parser: SpanParser) -> None:
    document = document_from_words(
        "made-up", [BOB[0], ["She", "ate", "."]], tags=[BOB[1], ["PRP", "VBD", "."]]
    )
    (parsed,) = shipped_parser.annotate([document], layers=CONSTITUENTS)
    assert parsed.tokens == document.tokens
    assert [len(sentence) for sentence in parsed.sentences] == [6, 3]
    assert brackets(parsed.sentences[1].constituents) == {("S", 0, 3), ("NP", 0, 1), ("VP", 1, 2)}
    assert shipped_parser.annotate([document], layers=frozenset()) == [document]


def test_it_says_what_it_needs(shipped_parser: SpanParser) -> None:
    assert shipped_parser.requires == {Layer.CONSTITUENTS: {Layer.TOKENS, Layer.TAGS}}


def test_a_missing_parser_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="constituency parser can't be read"):
        SpanParser.load(tmp_path)


def test_other_word_vectors_are_refused() -> None:
    vectors = WordVectors(("burger",), np.zeros((1, 3), dtype=np.float32))
    with pytest.raises(BundleError, match="100 dimensions, not 3"):
        SpanParser.load(vectors=vectors)
