"""Candidate mentions from the parse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from disco2.annotation.english.mentions import find_candidates
from disco2.data import Document
from tests.annotation.english.parsed import parsed, parsed_documents
from tests.documents import document_from_words


def found(document: Document) -> list[str]:
    return [
        " ".join(document.words(range(candidate.start, candidate.end)))
        for candidate in find_candidates(document)
    ]


@pytest.mark.parametrize(
    ("tree", "arcs", "expected"),
    [
        (  # of phrases around one head the largest one
            "(S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (PRP$ her) (NN aunt)))) (VP (VBD ran)))",
            "2:det 6:nsubj 5:case 5:nmod:poss 2:nmod 0:root",
            ["the dog of her aunt", "her aunt", "her"],
        ),
        (  # each conjunct, and all of them
            "(S (NP (NP (NNP Ann)) (CC and) (NP (DT the) (NN boy))) (VP (VBD ran)))",
            "5:nsubj 4:cc 4:det 1:conj 0:root",
            ["Ann and the boy", "Ann", "the boy"],
        ),
        (  # an owner with its ending, and a name inside a phrase
            "(S (NP (NP (NNP Ann) (POS 's)) (NNP Ohio) (NN farm)) (VP (VBD burnt)))",
            "4:nmod:poss 1:case 4:compound 5:nsubj 0:root",
            ["Ann 's Ohio farm", "Ann 's", "Ohio"],
        ),
        (  # a name inside a name
            "(S (NP (NNP Ann) (NNP Fox) (NNP Street)) (VP (VBD flooded)))",
            "3:compound 1:flat 4:nsubj 0:root",
            ["Ann Fox Street", "Ann Fox"],
        ),
        (  # neither "there" nor relative pronouns
            "(S (NP (EX there)) (VP (VBZ s) (NP (NP (DT an) (NN ox)) (SBAR (NP (WP who)) (VP (VBZ naps))))))",
            "2:expl 0:root 4:det 2:nsubj 6:nsubj 4:acl:relcl",
            ["an ox who naps"],
        ),
        (  # one span, one candidate
            "(S (NP (NP (PRP It))) (VP (VBZ rains)))",
            "2:nsubj 0:root",
            ["It"],
        ),
    ],
)
def test_candidates(tree: str, arcs: str, expected: list[str]) -> None:
    assert found(parsed((tree, arcs))) == expected


def test_heads_come_from_dependencies_else_from_phrases() -> None:
    tree = "(S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (PRP$ her) (NN aunt)))) (VP (VBD ran)))"
    document = parsed((tree, "2:det 6:nsubj 5:case 5:nmod:poss 2:nmod 0:root"))
    bare = replace(
        document, sentences=tuple(replace(sentence, dependencies=None) for sentence in document.sentences)
    )
    for given_document in (document, bare):
        assert [candidate.head for candidate in find_candidates(given_document)] == [1, 4, 3]


@pytest.mark.parametrize(
    ("tree", "arcs", "head"),
    [
        ("(S (NP (NNP Mrs.) (NNP Fox)) (VP (VBD ran)))", "3:nsubj 1:flat 0:root", 1),
        ("(S (NP (NNP President) (NNP Ann) (NNP Fox)) (VP (VBD ran)))", "4:nsubj 1:flat 1:flat 0:root", 1),
        ("(S (NP (NNP Ann) (NNP Fox)) (VP (VBD ran)))", "3:nsubj 1:flat 0:root", 0),
        ("(S (NP (DT that) (NN dog)) (VP (VBD ran)))", "3:nsubj 1:dep 0:root", 1),
        ("(S (NP (DT the) (JJ rich)) (VP (VBD ran)))", "2:det 3:nsubj 0:root", 1),
    ],
)
def test_a_name_behind_a_title_and_a_noun_are_better_heads(tree: str, arcs: str, head: int) -> None:
    assert find_candidates(parsed((tree, arcs)))[0].head == head


def test_without_trees_runs_of_nouns_are_found_by_their_tags() -> None:
    words = "the old dog saw Ann Smith and her in two parks ."
    tags = "DT JJ NN VBD NNP NNP CC PRP IN CD NNS ."
    document = document_from_words("d", [words.split()], tags=[tags.split()])
    assert found(document) == ["the old dog", "Ann Smith", "her", "two parks"]
    assert [candidate.head for candidate in find_candidates(document)] == [2, 5, 7, 10]


@settings(max_examples=60, deadline=None)
@given(parsed_documents())
def test_candidates_are_in_order_inside_their_sentence_and_once(document: Document) -> None:
    candidates = find_candidates(document)
    keys = [(candidate.start, -candidate.end) for candidate in candidates]
    assert keys == sorted(set(keys))
    for candidate in candidates:
        sentence = document.sentences[candidate.sentence]
        assert sentence.start <= candidate.start <= candidate.head < candidate.end <= sentence.end
    pronouns = {index for index, token in enumerate(document.tokens) if token.tag in ("PRP", "PRP$")}
    assert pronouns <= {candidate.start for candidate in candidates if candidate.end == candidate.start + 1}
