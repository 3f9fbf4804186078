"""Order, distance and extent of the arguments: worked examples."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disco2.errors import LayerError
from disco2.features.layout import layout_features
from disco2.records import Instance
from tests.features.feature_documents import make_document, make_instance

# Tokens 0-4, 5-9, 10-11, 12-15.
DOCUMENT = make_document(
    *((sentence.split(), None, None) for sentence in ("It rained hard , friends", "We went home at once")),
    (["Oh", "!"], None, None),
    (["Nobody", "said", "a", "word"], None, None),
)


def test_two_sentences_by_hand() -> None:
    assert layout_features(make_instance(DOCUMENT, range(5), range(5, 10))) == {
        "arg1 comes first",
        "arguments in different sentences",
        "arguments adjacent",
        "arguments in different sentences, arg1 comes first, arguments adjacent",
        "sentences from one argument to the other: 1",
        "sentences of the arguments: 1, 1",
        "arg1 in one piece",
        "arg1 fills its sentence",
        "arg2 in one piece",
        "arg2 fills its sentence",
        "at the document's start",
    }


def test_clauses_of_one_sentence_in_the_other_order() -> None:
    assert layout_features(make_instance(DOCUMENT, [14, 15], [12])) == {
        "arg2 comes first",
        "arguments share a sentence",
        "arguments close to each other",
        "arguments share a sentence, arg2 comes first, arguments close to each other",
        "sentences from one argument to the other: 0",
        "sentences of the arguments: 1, 1",
        "arg1 in one piece",
        "arg1 ends its sentence",
        "arg2 in one piece",
        "arg2 begins its sentence",
        "further on in the document",
    }


@pytest.mark.parametrize(
    ("arg1", "arg2", "expected"),
    [
        ([0], [1], "arguments adjacent"),
        ([0], [2], "arguments close to each other"),
        ([0], [3], "arguments close to each other"),
        ([0], [4], "arguments apart"),
        ([4], [0], "arguments apart"),
        ([0, 2], [1], "arguments nested"),
        ([1], [0, 2], "arguments nested"),
        ([0, 1], [1, 2], "arguments nested"),
        ([0], [0, 1], "arguments nested"),
    ],
)
def test_distances(arg1: list[int], arg2: list[int], expected: str) -> None:
    found = layout_features(make_instance(DOCUMENT, arg1, arg2))
    assert expected in found
    nested = expected == "arguments nested"
    assert nested != ("sentences from one argument to the other: 0" in found)


def with_connective(instance: Instance, *tokens: int) -> Instance:
    return replace(instance, relation=replace(instance.relation, connective_tokens=tokens))


def test_a_connective_between_the_arguments_does_not_count() -> None:
    plain = make_instance(DOCUMENT, [0], [4])
    assert "arguments apart" in layout_features(plain)
    assert "arguments close to each other" in layout_features(with_connective(plain, 1))
    assert "arguments adjacent" in layout_features(with_connective(plain, 1, 2, 3))
    assert layout_features(with_connective(plain, 0, 4, 5, 9)) == layout_features(plain)


def test_sentences_are_counted_up_to_three() -> None:
    found = layout_features(make_instance(DOCUMENT, range(12), range(12, 16)))
    assert {"sentences of the arguments: 3 or more, 1", "arg1 fills its sentence"} <= found
    found = layout_features(make_instance(DOCUMENT, range(5), range(10, 16)))
    assert {"sentences of the arguments: 1, 2", "sentences from one argument to the other: 2"} <= found
    assert "arguments apart" in found
    assert "sentences from one argument to the other: 3 or more" in layout_features(
        make_instance(DOCUMENT, range(5), range(12, 16))
    )


@pytest.mark.parametrize(("arg1", "arg2"), [([1, 2], [3, 7]), ([0, 7], [8]), ([8, 9], [3, 6]), ([3, 6], [7])])
def test_one_that_ends_where_the_other_begins_shares_its_sentence(arg1: list[int], arg2: list[int]) -> None:
    found = layout_features(make_instance(DOCUMENT, arg1, arg2))
    assert "arguments share a sentence" in found
    assert "arguments in different sentences" not in found


@pytest.mark.parametrize(
    ("tokens", "pieces", "extent"),
    [
        ([5, 6, 7, 8], "in one piece", "fills its sentence"),  # all but a last mark
        ([5, 6, 7], "in one piece", "begins its sentence"),
        ([5, 7, 9], "in several pieces", "fills its sentence"),
        ([6, 8], "in several pieces", "ends its sentence"),
        ([6, 12], "in several pieces", "ends its sentence"),  # the one it begins in
        ([6, 7], "in one piece", "inside its sentence"),
    ],
)
def test_extent(tokens: list[int], pieces: str, extent: str) -> None:
    for side, arguments in (("arg1", (tokens, [10])), ("arg2", ([10], tokens))):
        found = layout_features(make_instance(DOCUMENT, *arguments))
        assert {fact for fact in found if fact.startswith(f"{side} ") and "comes" not in fact} == {
            f"{side} {pieces}",
            f"{side} {extent}",
        }


def test_arguments_without_words_or_sentences() -> None:
    assert layout_features(make_instance(DOCUMENT, [], [0])) == set()
    with pytest.raises(LayerError, match="lies in no sentence"):
        layout_features(make_instance(replace(DOCUMENT, sentences=()), [0], [1]))
