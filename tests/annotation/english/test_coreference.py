"""The shipped coreference model: simple stories, and documents that lack something."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layer, raw_document
from disco2.annotation.english.annotators import SHIPPED, Component
from disco2.annotation.english.coreference import MODEL_FILE, TABLES_FILE, MentionRanker
from disco2.annotation.english.traits import CITATION
from disco2.data import Document
from disco2.errors import BundleError
from disco2.files import HIDDEN_LIST, folder_in_place, read_listed_files
from tests.annotation.english.parsed import giving, parsed, parsed_documents
from tests.documents import document_from_words
from tests.growth import LINEAR, growth

COREFERENCE = frozenset({Layer.COREFERENCE})


def chains(document: Document) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for mention in document.mentions or ():
        words = " ".join(document.words(range(mention.start, mention.end)))
        found.setdefault(mention.chain, []).append(words)
    return list(found.values())


def company() -> Document:
    return parsed(
        (
            "(S (NP (DT The) (NN company)) (VP (VBD fired) (NP (PRP$ its) (NN boss))) (. .))",
            "2:det 3:nsubj 0:root 5:nmod:poss 3:obj 3:punct",
        ),
        (
            "(S (NP (PRP It)) (VP (VBD had) (VP (VBN lost) (NP (NN money)))) (. .))",
            "3:nsubj 3:aux 0:root 3:obj 3:punct",
        ),
    )


def test_it_annotates_only_what_it_is_asked_for(ranker: MentionRanker) -> None:
    documents = [giving("She"), giving("He")]
    resolved = ranker.annotate(documents, layers=COREFERENCE)
    assert [chains(document) for document in resolved] == [[["Tina", "She"]], [["Bob", "He"]]]
    assert [replace(document, mentions=None) for document in resolved] == documents
    assert ranker.annotate(documents, layers=frozenset()) == documents


def test_documents_without_anything(ranker: MentionRanker) -> None:
    assert ranker.resolve(document_from_words("d", [])).mentions == ()
    assert ranker.resolve(document_from_words("d", [["!", "?"]])).mentions == ()
    assert ranker.resolve(document_from_words("d", [["Rain"]], tags=[["NN"]])).mentions == ()


@settings(max_examples=40, deadline=None)
@given(parsed_documents())
def test_chains_are_well_formed(ranker: MentionRanker, document: Document) -> None:
    resolved = ranker.resolve(document)
    assert resolved.mentions is not None
    order = [(mention.start, -mention.end) for mention in resolved.mentions]
    assert all(first < second for first, second in pairwise(order))
    assert all(mention.start <= mention.head < mention.end for mention in resolved.mentions)
    assert all(len(chain) > 1 for chain in chains(resolved))
    assert not any(
        {"he", "her"} <= set(chain) or {"he", "herself"} <= set(chain) for chain in chains(resolved)
    )
    assert ranker.resolve(document) == resolved


def repeated(document: Document, times: int) -> Document:
    """The same story over and over."""
    words = [document.words(range(s.start, s.end)) for s in document.sentences] * times
    tags = [[t.tag for t in document.tokens[s.start : s.end]] for s in document.sentences] * times
    long = document_from_words("d", words, tags=tags)
    sentences = tuple(
        replace(sentence, constituents=model.constituents, dependencies=model.dependencies)
        for sentence, model in zip(long.sentences, document.sentences * times, strict=True)
    )
    return replace(long, sentences=sentences)


def test_a_long_document_takes_time_in_proportion(ranker: MentionRanker) -> None:
    """Blocks hide nothing: the stories in the middle are resolved like one another."""
    story = company()
    documents = {times: repeated(story, times) for times in (75, 600)}
    assert growth(lambda times: ranker.resolve(documents[times]), 75) < LINEAR
    resolved = ranker.resolve(documents[600])
    assert resolved.mentions is not None
    assert len(resolved.mentions) >= 3 * 600


@pytest.mark.parametrize("change", [{"format": 99}, {"words": []}, {"window": float("inf")}, {"words": 1}])
def test_a_description_that_does_not_fit_is_an_error(change: dict[str, Any], tmp_path: Path) -> None:
    files = read_listed_files(SHIPPED / "coreference")
    described = json.loads(files[MODEL_FILE]) | change
    with folder_in_place(tmp_path / "m", HIDDEN_LIST) as fresh:
        (fresh / TABLES_FILE).write_bytes(files[TABLES_FILE])
        (fresh / MODEL_FILE).write_text(json.dumps(described))
    with pytest.raises(BundleError, match="can't be read"):
        _ = Component("coreference", tmp_path / "m").model


@pytest.fixture(scope="module")
def annotators(components: list[Component]) -> Annotators:
    return Annotators(components)


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
        ("Kavya waited for Demba. He was late.", ["Demba", "He"]),
        ("Kavya waited for Demba. She was cold.", ["Kavya", "She"]),
        ("The countess followed the coachman. He was quick.", ["the coachman", "He"]),
        ("Grandma woke the postman. She was cross.", ["Grandma", "She"]),
    ],
)
def test_simple_texts(annotators: Annotators, text: str, expected: list[str]) -> None:
    (document,) = annotators.annotate([raw_document(text)], layers=ALL_LAYERS)
    assert expected in chains(document)
    assert document.text == text


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
