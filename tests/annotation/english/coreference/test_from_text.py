"""From plain text to chains with the shipped annotators alone."""

from __future__ import annotations

import pytest

from disco2.annotation.annotator import ALL_LAYERS, Annotators, raw_document
from disco2.annotation.english.constituents.parser import SpanParser
from disco2.annotation.english.coreference.lexicon import CITATION
from disco2.annotation.english.coreference.resolver import MentionRanker
from disco2.annotation.english.syntax import SpacySyntax
from tests.annotation.english.coreference.test_resolver import chains


@pytest.fixture(scope="module")
def annotators(syntax: SpacySyntax) -> Annotators:
    return Annotators([syntax, SpanParser.load(), MentionRanker.load()])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bob gave Tina the burger. She was hungry.", ["Tina", "She"]),
        ("Bob gave Tina the burger. He was hungry.", ["Bob", "He"]),
        ("Mary saw John. He waved.", ["John", "He"]),
        ("Mary saw John. She waved.", ["Mary", "She"]),
        ("The company fired its boss. It had lost money.", ["The company", "its", "It"]),
        ("We bought an old house. The house was cold.", ["an old house", "The house"]),
        ("My brother bought a car. He likes it.", ["My brother", "He"]),
        ("The workers went on strike. They want more money.", ["The workers", "They"]),
        ("Mrs. Smith met Bob Jones. Jones had a cold.", ["Bob Jones", "Jones"]),
        ("Anna hurt herself.", ["Anna", "herself"]),
    ],
)
def test_simple_texts(annotators: Annotators, text: str, expected: list[str]) -> None:
    (document,) = annotators.annotate([raw_document(text)], layers=ALL_LAYERS)
    assert expected in chains(document)
    assert document.text == text


def test_he_and_she_are_two(annotators: Annotators) -> None:
    text = "Peter called Susan. He was late, and she was angry with him."
    (document,) = annotators.annotate([raw_document(text)], layers=ALL_LAYERS)
    assert chains(document) == [["Peter", "He", "him"], ["Susan", "she"]]


@pytest.mark.parametrize(
    "text",
    [
        "He left. She left.",
        "He said that she knew.",
        "She left. It left. He left.",
        "Her dog saw his cat.",
        "The teacher saw him. Then she saw the teacher, and he waved to her.",
        "Kim smiled. He saw Kim. She laughed. It was Kim. He went on, and so did she.",
    ],
)
def test_no_chain_has_both_he_and_she(annotators: Annotators, text: str) -> None:
    (document,) = annotators.annotate([raw_document(text)], layers=ALL_LAYERS)
    for chain in chains(document):
        assert len({CITATION[word.lower()] for word in chain if word.lower() in CITATION}) < 2


def test_two_of_one_gender_are_still_linked(annotators: Annotators) -> None:
    (document,) = annotators.annotate([raw_document("She left. He said that she left.")], layers=ALL_LAYERS)
    assert chains(document) == [["She", "she"]]
