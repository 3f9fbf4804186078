"""Shared words and lengths: worked examples, and a slow twin that compares every word with every other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.features.overlap import overlap_features
from disco2.features.word_pairs import stem
from disco2.records import Argument, Document
from tests.features.clauses import clauses, tags_on_tokens, untagged
from tests.features.feature_documents import make_document, make_instance, random_instances, seeded

CATS = "The/DT/2/det cats/NNS/3/nsubj sleep/VBP/0/root badly/RB/3/advmod"
CAT = "A/DT/2/det Cat/NN/3/nsubj sleeping/VBG/0/root is/VBZ/3/cop the/DT/6/det rule/NN/3/obj"


def test_a_pair_by_hand() -> None:
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


def test_function_words_are_not_counted() -> None:
    found = overlap_features(make_instance(clauses(CATS, CAT), [0], [8]))
    assert {"shared content words: 0", "share of the content words in both: under 20%"} <= found
    assert {"shared nouns: 0", "shared verbs: 0"} <= found


def test_the_same_words_twice() -> None:
    doc = clauses(*["a/NN/0/root b/NN/1/dep c/NN/1/dep d/NN/1/dep go/VB/1/dep run/VB/1/dep sit/VB/1/dep"] * 2)
    found = overlap_features(make_instance(doc, range(7), range(7, 14)))
    assert {"shared content words: 3 or more", "share of the content words in both: all"} <= found
    assert {"shared nouns: 3 or more", "shared verbs: 2 or more", "arguments of like length"} <= found


def test_a_noun_and_a_verb_share_their_stem_as_content_words_only() -> None:
    doc = clauses("walks/NNS/0/root", "walked/VBD/0/root")
    found = overlap_features(make_instance(doc, [0], [1]))
    assert {"shared content words: 1", "shared nouns: 0", "shared verbs: 0"} <= found


def test_missing_tags_leave_the_lengths() -> None:
    doc = clauses(CATS, CAT)
    both = range(4), range(4, 10)
    assert overlap_features(make_instance(tags_on_tokens(doc), *both)) == overlap_features(
        make_instance(doc, *both)
    )
    lengths = {"words in arg1: 4 to 5", "words in arg2: 6 to 8", "arg2 twice as long as arg1"}
    assert overlap_features(make_instance(untagged(doc), *both)) == lengths


def test_an_argument_without_words_is_left_to_the_trees() -> None:
    assert overlap_features(make_instance(clauses(CATS), [], [0])) == set()


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


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (10, 14, "arguments of like length"),
        (10, 15, "arg2 twice as long as arg1"),
        (15, 10, "arg1 twice as long as arg2"),
        (10, 28, "arg2 twice as long as arg1"),
        (10, 29, "arg2 4 times as long as arg1"),
        (57, 10, "arg1 8 times or more as long as arg2"),
        (1, 200, "arg2 8 times or more as long as arg1"),
    ],
)
def test_ratios_are_rounded_to_powers_of_two(first: int, second: int, expected: str) -> None:
    assert expected in overlap_features(make_instance(LONG, range(first), range(200, 200 + second)))


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
