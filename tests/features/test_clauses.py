"""Features that describe a relation in words: worked examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from disco2.data import Document, Instance
from disco2.features.clauses import (
    argument_heads,
    attachment_features,
    layout_features,
    opening_features,
    overlap_features,
    predicate_features,
)
from tests.features.feature_documents import (
    clauses,
    make_argument,
    make_document,
    make_instance,
    tags_on_tokens,
    untagged,
    without_layers,
)

# Tense, negation, subject and dependents of the predicates


STAYED = "She/PRP/4/nsubj did/VBD/4/aux not/RB/4/advmod stay/VB/0/root long/RB/4/advmod ././4/punct"
HUNGRY = "She/PRP/3/nsubj is/VBZ/3/cop hungry/JJ/0/root"


def features(doc: Document) -> set[str]:
    """Of the relation between the two sentences of a document."""
    cut = doc.sentences[1].start
    return predicate_features(make_instance(doc, range(cut), range(cut, len(doc.tokens))))


def test_predicates_by_hand() -> None:
    assert features(clauses(STAYED, HUNGRY)) == {
        "arg1 tense: past",
        "arg1 negated",
        "arg1 subject: 'she'",
        "arg1 auxiliary: 'did'",
        "arg1 modifier: 'not'",
        "arg1 modifier: 'long'",
        "arg1 dependent: nsubj",
        "arg1 dependent: aux",
        "arg1 dependent: advmod",
        "arg1 dependent: punct",
        "arg1 frame: advmod aux nsubj",
        "arg2 tense: present",
        "arg2 subject: 'she'",
        "arg2 auxiliary: 'is'",
        "arg2 dependent: nsubj",
        "arg2 dependent: cop",
        "arg2 frame: cop nsubj",
        "tenses: past, present",
        "negated: only arg1",
        "subjects: 'she', 'she'",
        "predicate tags: VB, JJ",
        "same pronoun as subject",
    }


@pytest.mark.parametrize(
    ("predicate", "tense"),
    [
        ("left/VBD/0/root", "past"),
        ("left/VVD/0/root", "past"),
        ("had/VHD/0/root", "past"),
        ("goes/VBZ/0/root", "present"),
        ("go/VVP/0/root", "present"),
        ("was/VBD/2/cop late/JJ/0/root", "past"),
        ("had/VBD/3/aux been/VBN/3/aux going/VBG/0/root", "past"),
        ("has/VBZ/3/aux been/VBN/3/aux:pass seen/VBN/0/root", "present"),
        ("'ll/MD/2/aux go/VB/0/root", "modal"),
        ("could/MD/3/aux have/VB/3/aux gone/VBN/0/root", "modal"),
        ("to/TO/2/mark go/VB/0/root", "infinitive"),
        ("going/VVG/0/root", "gerund"),
        ("gone/VBN/0/root", "participle"),
        ("go/VV/0/root", "base"),
        ("rain/NN/0/root", "no verb"),
        ("home/RB/0/root again/RB/1/advmod", "no verb"),
    ],
)
def test_tenses(predicate: str, tense: str) -> None:
    found = features(clauses(predicate, HUNGRY))
    assert f"arg1 tense: {tense}" in found
    assert f"tenses: {tense}, present" in found


@pytest.mark.parametrize(
    ("subject", "named"),
    [
        ("It/PP/2/nsubj", "'it'"),
        ("That/DT/2/nsubj", "'that'"),
        ("Who/WP/2/nsubj", "'who'"),
        ("Rain/NN/2/nsubj:pass", "noun"),
        ("Ann/NNP/2/vocative", "none"),
    ],
)
def test_pronouns_are_named_and_other_subjects_are_nouns(subject: str, named: str) -> None:
    found = features(clauses(f"{subject} fell/VBD/0/root", HUNGRY))
    assert f"arg1 subject: {named}" in found
    assert f"subjects: {named}, 'she'" in found
    assert "same pronoun as subject" not in found


# How the heads of the arguments hang


# It fell , breaking both .
FELL = "It/PRP/2/nsubj fell/VBD/0/root ,/,/2/punct Breaking/VBG/2/advcl both/DT/4/obj ././2/punct"


def test_one_clause_hangs_in_the_other() -> None:
    assert attachment_features(make_instance(clauses(FELL), range(3), range(3, 6))) == {
        "arg1 head: root",
        "arg1 head: root VBD",
        "arg1 heads: 1",
        "arg2 head: advcl",
        "arg2 head: advcl VBG",
        "arg2 heads: 1",
        "arg2 hangs in arg1 as advcl",
        "arg2 hangs in arg1 as advcl VBG",
        "arg2 hangs in arg1 as advcl VBG of VBD",
        "arg2 hangs in arg1 as advcl 'breaking'",
        "arg2 hangs in arg1 as advcl of 'fell'",
        "heads: root, advcl",
    }


def test_heads_are_counted_up_to_three() -> None:
    doc = clauses("Go/VB/0/root", "Go/VB/0/root", "Go/VB/0/root", "Go/VB/0/root !/./1/punct")
    found = attachment_features(make_instance(doc, range(2), range(2, 5)))
    assert {"arg1 heads: 2", "arg2 heads: 2"} <= found
    found = attachment_features(make_instance(doc, [4], range(4)))
    assert {"arg2 heads: 3 or more"} <= found
    assert not any(fact.startswith(("arg1", "heads:")) for fact in found)  # punctuation is no head


def test_a_circle_of_heads_has_no_head() -> None:
    doc = clauses("a/NN/2/dep b/NN/1/dep c/NN/0/root")
    assert argument_heads(doc, make_argument(doc, range(2))) == []
    assert attachment_features(make_instance(doc, range(2), [2])) == {
        "arg2 head: root",
        "arg2 head: root NN",
        "arg2 heads: 1",
    }


# First words and tags


THERE = "There/EX/2/expl was/VBD/0/root no/DT/4/det Rain/NN/2/nsubj"
STOP = "Stop/VB/0/root It/PRP/1/obj"


def test_openings_by_hand() -> None:
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


# Order, distance and extent


# Tokens 0-4, 5-9, 10-11, 12-15.
DOCUMENT = make_document(
    *((sentence.split(), None, None) for sentence in ("It rained hard , friends", "We went home at once")),
    (["Oh", "!"], None, None),
    (["Nobody", "said", "a", "word"], None, None),
)


def test_layout_of_two_sentences_by_hand() -> None:
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


# Without layers


@pytest.mark.parametrize(
    ("find", "marks"),
    [
        (predicate_features, ("tense", "subject", "predicate tags")),
        (attachment_features, ("VB", "DT")),
        (opening_features, ("EX", "PRP")),
        (overlap_features, ("share",)),
    ],
)
def test_what_needs_tags_is_left_out_without_them(
    find: Callable[[Instance], set[str]], marks: tuple[str, ...]
) -> None:
    def found(doc: Document) -> set[str]:
        return find(make_instance(doc, range(6), range(6, 10)))

    doc = clauses(STAYED, THERE)
    assert found(tags_on_tokens(doc)) == found(doc)
    tagged = {fact for fact in found(doc) if any(mark in fact for mark in marks)}
    assert tagged
    assert found(untagged(doc)) == found(doc) - tagged
    needs_dependencies = find in (predicate_features, attachment_features)
    assert found(without_layers(doc)) == (set() if needs_dependencies else found(doc) - tagged)
