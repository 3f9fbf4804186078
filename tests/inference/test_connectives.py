"""Which sentences say their relation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.connectives import counts
from disco2.annotation.layers import document_from_words
from disco2.corpora.gum import read_gum
from disco2.data import Dependencies
from disco2.parser.connectives import opening_connective


def opening(sentence: str, tags: str = "", dependencies: Dependencies | None = None) -> str:
    words = sentence.split()
    document = document_from_words("d", [words], tags=[tags.split()] if tags else None)
    return opening_connective(document, replace(document.sentences[0], dependencies=dependencies))


@pytest.mark.parametrize(
    ("sentence", "connective"),
    [
        ("However , it rained .", "However"),
        ("but it rained .", "but"),
        ("AND it rained .", "AND"),
        ("On the other hand , it rained .", "On the other hand"),
        ("Then again , it rained .", "Then again"),
        ("Then it rained .", "Then"),
        ("As a result , it rained .", "As a result"),
        ("In addition it rained .", "In addition"),
        ("\u201c But it rained .", "But"),
        ("- Um , and it rained .", "and"),
        ("Next , it rained .", "Next"),
        ("It rained , however .", ""),
        ("In addition to rain , it snowed .", ""),
        ("Instead of rain , we had snow .", ""),
        ("Rather than rain , we had snow .", ""),
        ("Next year it will rain .", ""),
        ("Still waters run deep .", ""),
        ("Besides the rain , it snowed .", ""),
        ("So far , it rained .", ""),
        ("But ...", ""),
        ("However", ""),
        ("Butter is yellow .", ""),
        ("... ! ?", ""),
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


def test_the_marking_agrees_with_a_corpus(gum: Path) -> None:
    right, marked, gold = counts(read_gum(gum), "dev")
    assert gold > 100
    assert right / gold > 0.95
    assert right / marked > 0.82
