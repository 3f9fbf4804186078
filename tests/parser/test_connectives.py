from __future__ import annotations

from dataclasses import replace

import pytest

from disco2.data import Dependencies
from disco2.parser.arguments import ParsedSentence
from disco2.parser.connectives import (
    MOST_CANDIDATES,
    ConnectiveCandidate,
    ConnectiveList,
    connective_direction,
    connective_name,
    gloss,
    opening_connective,
    usual_senses,
    without_overlaps,
)
from disco2.parser.features import connective_features, feature_names
from tests.documents import document_from_words
from tests.parser.made_up import document

LISTED = ConnectiveList(usual_senses(), frozenset({"it", "left"}))


class Words:
    """A sentence that has nothing but words."""

    def __init__(self, text: str) -> None:
        self.words = tuple(text.split())


def names(text: str) -> list[str]:
    return [one.name for one in LISTED.candidates(Words(text))]  # type: ignore[arg-type]


def test_candidates_overlap_and_have_gaps() -> None:
    assert names("even if it rains") == ["even if", "if"]
    assert names("if it rains then stay") == ["if", "if ... then", "then"]
    assert names("on the one hand yes , on the other hand no") == [
        "on the one hand ... on the other hand",
        "on the one hand ... on the other",
        "on the other hand",
    ]
    (either,) = (one for one in LISTED.candidates(Words("either you go or I do")) if "..." in one.name)  # type: ignore[arg-type]
    assert either.tokens == (0, 3)
    assert either.parts[0] == (0, 1)


def test_very_long_sentences_have_bounded_candidates() -> None:
    assert len(names("and " * 5000)) == MOST_CANDIDATES


def test_the_most_probable_wins_and_tokens_are_used_once() -> None:
    candidates = [
        ConnectiveCandidate("even if", (0, 1)),
        ConnectiveCandidate("if", (1,)),
        ConnectiveCandidate("but", (4,)),
    ]
    assert without_overlaps(candidates, [0.9, 0.8, 0.6], least=0.5) == [0, 2]
    assert without_overlaps(candidates, [0.7, 0.8, 0.4], least=0.5) == [0]
    assert without_overlaps(candidates, [0.5, 0.9, 0.4], least=0.5) == [1]


def test_a_connective_with_a_gap_wins_over_its_parts() -> None:
    candidates = [
        ConnectiveCandidate("if", (0,)),
        ConnectiveCandidate("if ... then", (0, 4)),
        ConnectiveCandidate("then", (4,)),
    ]
    assert without_overlaps(candidates, [0.7, 0.45, 0.6], least=0.5) == [1]
    assert without_overlaps(candidates, [0.7, 0.2, 0.6], least=0.5) == [0, 2]
    assert candidates[1].parts == ((0, 1), (4, 5))


def test_features_describe_words_phrases_and_dependencies() -> None:
    sentence = ParsedSentence(document(), 0)
    (candidate,) = LISTED.candidates(sentence)
    features = feature_names(connective_features(sentence, candidate, LISTED))
    for wanted in (
        "because",
        "behind it",
        "parent SBAR",
        "right S",
        "link mark right",
        "because|governor VBD",
    ):
        assert wanted in features
    assert connective_name(sentence, (2, 4)) == "because ... rained"


def test_directions_and_glosses() -> None:
    assert connective_direction("Because", "Contingency.Cause") == "Reason"
    assert connective_direction("so", "Contingency.Cause") == "Result"
    assert connective_direction("while", "Comparison.Concession") == "Arg1-as-denier"
    assert connective_direction("namely", "Expansion.Level-of-detail") == "Arg2-as-detail"
    assert connective_direction("notwithstanding", "Contingency.Cause") == ""
    assert connective_direction("if", "Contingency.Condition") == ""
    assert gloss("Contingency.Cause", "Reason") == "because"
    assert gloss("Contingency.Cause") == gloss("EntRel") == ""
    assert gloss("Expansion.Conjunction") == "and"


def opening(sentence: str, tags: str = "", dependencies: Dependencies | None = None) -> str:
    words = sentence.split()
    document = document_from_words("d", [words], tags=[tags.split()] if tags else None)
    return opening_connective(document, replace(document.sentences[0], dependencies=dependencies))


@pytest.mark.parametrize(
    ("sentence", "connective"),
    [
        ("However , it rained .", "However"),
        ("but it rained .", "but"),
        ("On the other hand , it rained .", "On the other hand"),
        ("As a result , it rained .", "As a result"),
        ("\u201c But it rained .", "But"),
        ("- Um , and it rained .", "and"),
        ("Next , it rained .", "Next"),
        ("It rained , however .", ""),
        ("In addition to rain , it snowed .", ""),
        ("Instead of rain , we had snow .", ""),
        ("Next year it will rain .", ""),
        ("Still waters run deep .", ""),
        ("So far , it rained .", ""),
        ("But ...", ""),
    ],
)
def test_openings(sentence: str, connective: str) -> None:
    assert opening(sentence) == connective


def test_so_is_a_connective_unless_it_opens_a_talk() -> None:
    assert opening("So we left .", "RB PRP VBD .") == "So"
    assert opening("So , hello there .", "UH , UH RB .") == ""


def test_a_subordinate_clause_links_within_its_sentence_unless_it_is_all_there_is() -> None:
    words = "Because it rained , we left ."
    within = Dependencies(
        (2, 2, 5, 5, 5, -1, 5), ("mark", "nsubj", "advcl", "punct", "nsubj", "root", "punct")
    )
    assert opening(words, dependencies=within) == ""
    alone = Dependencies((2, 2, -1, 2), ("mark", "nsubj", "root", "punct"))
    assert opening("Because it rained .", dependencies=alone) == "Because"
    assert opening("Because it rained .") == ""  # nobody knows
