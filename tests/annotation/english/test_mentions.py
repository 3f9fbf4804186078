"""Candidate mentions from the parse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from disco2.annotation.english.mentions import find_candidates
from disco2.data import Document
from tests.annotation.english.parsed import parsed, parsed_documents


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
