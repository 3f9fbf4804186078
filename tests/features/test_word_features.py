"""What is said of words and places of the arguments: worked examples, and a slow twin of the overlap."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.data import Argument, Document, Instance, Relation
from disco2.features.descriptions import (
    layout_features,
    neighbouring_features,
    opening_features,
    overlap_features,
)
from disco2.features.pairs_and_rules import stem
from tests.features.feature_documents import (
    clauses,
    make_document,
    make_instance,
    make_relation,
    random_instances,
    seeded,
    tags_on_tokens,
    untagged,
    without_layers,
)

# First words and tags


THERE = "There/EX/2/expl was/VBD/0/root no/DT/4/det Rain/NN/2/nsubj"
STOP = "Stop/VB/0/root It/PRP/1/obj"


def test_a_pair_by_hand() -> None:
    assert opening_features(make_instance(clauses(THERE, STOP), range(4), range(4, 6))) == {
        "arg1 begins with 'there was'",
        "arg1 begins with 'there was no'",
        "arg1 begins with EX",
        "arg1 begins with EX VBD DT",
        "arg2 begins with 'stop it'",
        "arg2 is 'stop it'",
        "arg2 begins with VB",
        "arg2 is VB PRP",
        "arguments begin with 'there', 'stop'",
        "arguments begin with EX, VB",
    }


def test_tags_of_tokens_serve_where_there_are_no_trees() -> None:
    doc = clauses(THERE, STOP)
    expected = opening_features(make_instance(doc, range(4), range(4, 6)))
    assert opening_features(make_instance(tags_on_tokens(doc), range(4), range(4, 6))) == expected


def test_words_are_left_where_there_are_no_tags() -> None:
    doc = clauses(THERE, STOP)
    words = {fact for fact in opening_features(make_instance(doc, range(4), range(4, 6))) if "'" in fact}
    assert len(words) == 5
    for bare in (untagged(doc), without_layers(doc)):
        assert opening_features(make_instance(bare, range(4), range(4, 6))) == words


# Order, distance and extent


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


# Shared words and lengths


CATS = "The/DT/2/det cats/NNS/3/nsubj sleep/VBP/0/root badly/RB/3/advmod"
CAT = "A/DT/2/det Cat/NN/3/nsubj sleeping/VBG/0/root is/VBZ/3/cop the/DT/6/det rule/NN/3/obj"


def test_overlap_a_pair_by_hand() -> None:
    # cat, sleep, bad | cat, sleep, is, rule
    assert overlap_features(make_instance(clauses(CATS, CAT), range(4), range(4, 10))) == {
        "words in arg1: 4 to 5",
        "words in arg2: 6 to 8",
        "arg2 twice as long as arg1",
        "shared content words: 2",
        "share of the content words in both: 40 to 60%",
        "shared nouns: 1",
        "shared verbs: 1",
    }


def test_missing_tags_leave_the_lengths() -> None:
    doc = clauses(CATS, CAT)
    both = range(4), range(4, 10)
    assert overlap_features(make_instance(tags_on_tokens(doc), *both)) == overlap_features(
        make_instance(doc, *both)
    )
    lengths = {"words in arg1: 4 to 5", "words in arg2: 6 to 8", "arg2 twice as long as arg1"}
    assert overlap_features(make_instance(untagged(doc), *both)) == lengths


LONG = make_document((["a"] * 400, None, None))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        *((1, "1"), (2, "2"), (3, "3"), (4, "4 to 5"), (5, "4 to 5"), (6, "6 to 8"), (8, "6 to 8")),
        *((9, "9 to 12"), (12, "9 to 12"), (13, "13 to 18"), (18, "13 to 18"), (19, "19 to 30")),
        *((30, "19 to 30"), (31, "31 or more"), (200, "31 or more")),
    ],
)
def test_lengths(words: int, expected: str) -> None:
    found = overlap_features(make_instance(LONG, range(words), range(200, 200 + words)))
    assert found == {
        f"words in arg1: {expected}",
        f"words in arg2: {expected}",
        "arguments of like length",
    }


def slow_shared(doc: Document, arg1: Argument, arg2: Argument, kinds: str) -> tuple[int, int]:
    """How many stems of words with such tags are in both, and in either."""

    def stems(argument: Argument) -> list[str]:
        found: list[str] = []
        for token in argument.tokens:
            sentence = doc.sentences[doc.sentence_index(token)]
            assert sentence.constituents is not None
            word = stem(doc.tokens[token].text)
            if sentence.constituents.tags[token - sentence.start][0] in kinds and word not in found:
                found.append(word)
        return found

    first, second = stems(arg1), stems(arg2)
    shared = sum(word == other for word in first for other in second)
    return shared, len(first) + len(second) - shared


@given(st.integers(0, 2**32))
def test_shared_words_are_those_of_the_slow_twin(seed: int) -> None:
    words = ["walk", "Walks", "walked", "tree", "trees", "b"]
    for instance in random_instances(seeded(seed), 3, words=words, classes=["X"], missing=0):
        doc, arg1, arg2 = instance.document, instance.relation.arg1, instance.relation.arg2
        found = overlap_features(instance)
        for kinds, name, most in (("NVJR", "content words", 3), ("N", "nouns", 3), ("V", "verbs", 2)):
            shared, _ = slow_shared(doc, arg1, arg2, kinds)
            assert f"shared {name}: {shared if shared < most else f'{most} or more'}" in found
        shared, together = slow_shared(doc, arg1, arg2, "NVJR")
        share = shared / max(together, 1)
        expected = next(
            name
            for least, name in (
                (1, "all"),
                (0.8, "over"),
                (0.6, "60"),
                (0.4, "40"),
                (0.2, "20"),
                (0, "under"),
            )
            if share >= least
        )
        assert any(fact.startswith(f"share of the content words in both: {expected}") for fact in found)


# Overlaps with the relations before and after


LETTERS = make_document((list("abcdefghijkl"), None, None))


def relation(arg1: list[int], arg2: list[int]) -> Relation:
    return make_relation(LETTERS, arg1, arg2)


@pytest.mark.parametrize(
    ("neighbour", "expected"),
    [
        (None, "none"),
        (relation([0], [1]), "no overlap"),
        (relation([0, 1], [2, 3]), "its arg2 overlaps arg1"),
        (relation([5], [6, 11]), "its arg1 overlaps arg1, its arg2 overlaps arg2"),
        (relation([8], [0]), "its arg1 overlaps arg2"),
        (
            relation([4, 5, 6], [2, 9]),
            "its arg1 overlaps arg1, its arg1 overlaps arg2, its arg2 overlaps arg1, its arg2 overlaps arg2",
        ),
    ],
)
def test_overlaps(neighbour: Relation | None, expected: str) -> None:
    this = relation([2, 3, 4, 5], [6, 7, 8, 9])
    assert neighbouring_features(Instance(this, LETTERS, previous=neighbour)) == {
        f"previous relation: {expected}",
        "following relation: none",
    }
    assert neighbouring_features(Instance(this, LETTERS, following=neighbour)) == {
        "previous relation: none",
        f"following relation: {expected}",
    }
