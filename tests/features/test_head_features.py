"""What is said of the heads of the arguments: worked examples, and a slow twin that looks at every word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.data import Argument, Document
from disco2.features.descriptions import argument_heads, attachment_features, predicate_features
from tests.features.feature_documents import (
    clauses,
    make_argument,
    make_instance,
    random_instances,
    seeded,
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


def test_a_pair_by_hand() -> None:
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


def test_tags_of_tokens_serve_where_there_are_no_trees() -> None:
    doc = clauses(STAYED, HUNGRY)
    assert features(tags_on_tokens(doc)) == features(doc)


def test_without_dependencies_there_is_no_predicate() -> None:
    assert features(without_layers(clauses(STAYED, HUNGRY))) == set()


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


def test_arguments_of_two_sentences_do_not_hang_in_each_other() -> None:
    doc = clauses("Go/VB/0/root", FELL)
    found = attachment_features(make_instance(doc, [0], range(1, 7)))
    assert {"arg1 head: root VB", "arg2 head: root VBD", "heads: root, root"} <= found
    assert not any("hangs" in fact for fact in found)


def test_heads_are_counted_up_to_three() -> None:
    doc = clauses("Go/VB/0/root", "Go/VB/0/root", "Go/VB/0/root", "Go/VB/0/root !/./1/punct")
    found = attachment_features(make_instance(doc, range(2), range(2, 5)))
    assert {"arg1 heads: 2", "arg2 heads: 2"} <= found
    found = attachment_features(make_instance(doc, [4], range(4)))
    assert {"arg2 heads: 3 or more"} <= found
    assert not any(fact.startswith(("arg1", "heads:")) for fact in found)  # punctuation is no head


def test_missing_layers() -> None:
    doc = clauses(FELL)
    both = range(3), range(3, 6)
    tagged = attachment_features(make_instance(doc, *both))
    assert attachment_features(make_instance(tags_on_tokens(doc), *both)) == tagged
    assert attachment_features(make_instance(untagged(doc), *both)) == {
        fact for fact in tagged if "VB" not in fact
    }
    assert attachment_features(make_instance(without_layers(doc), *both)) == set()


def slow_heads(doc: Document, argument: Argument) -> list[tuple[int, int, str]]:
    """Token, governor and label of each head, tokens of the document."""
    found = []
    for token in argument.tokens:
        sentence = doc.sentences[doc.sentence_index(token)]
        if sentence.dependencies is not None:
            head = sentence.dependencies.heads[token - sentence.start]
            label = sentence.dependencies.labels[token - sentence.start]
            governor = head + sentence.start if head >= 0 else -1
            if governor not in argument.tokens and label != "punct":
                found.append((token, governor, label))
    return found


@given(st.integers(0, 2**32))
def test_heads_and_dependents_are_those_of_the_slow_twin(seed: int) -> None:
    for instance in random_instances(seeded(seed), 3, words=["a", "b"], classes=["X"]):
        doc = instance.document
        for argument in (instance.relation.arg1, instance.relation.arg2):
            found = argument_heads(doc, argument)
            assert [
                (
                    head.sentence.start + head.position,
                    head.sentence.start + head.governor if head.governor >= 0 else -1,
                    head.label,
                )
                for head in found
            ] == slow_heads(doc, argument)
            for head in found:
                start = head.sentence.start
                assert head.sentence.dependencies is not None
                assert head.dependents() == [
                    (token - start, head.sentence.dependencies.labels[token - start])
                    for token in argument.tokens
                    if start <= token < head.sentence.end
                    and head.sentence.dependencies.heads[token - start] == head.position
                ]


def test_a_circle_of_heads_has_no_head() -> None:
    doc = clauses("a/NN/2/dep b/NN/1/dep c/NN/0/root")
    assert argument_heads(doc, make_argument(doc, range(2))) == []
    assert attachment_features(make_instance(doc, range(2), [2])) == {
        "arg2 head: root",
        "arg2 head: root NN",
        "arg2 heads: 1",
    }
