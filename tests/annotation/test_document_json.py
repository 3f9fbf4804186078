"""Documents as JSON: there and back, and never anything but a clear error."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from disco2.annotation.document_json import FORMAT, document_to_json, parse_annotated
from disco2.data import Constituents, Dependencies, Document, Mention, Sentence, Token
from disco2.errors import LayerError
from tests.documents import document_from_words

TEXT = "Bob slept.\r\nHe (too) \U0001f600"
DOCUMENT = Document(
    "d",
    TEXT,
    (
        Token("Bob", 0, 3, "NNP"),
        Token("slept", 4, 9, "VBD"),
        Token(".", 9, 10, "."),
        Token("He", 12, 14, "PRP"),
        Token("(", 15, 16, "-LRB-"),
        Token("too", 16, 19, "RB"),
    ),
    (
        Sentence(
            0,
            3,
            Constituents(("S", "NP", "VP"), (0, 0, 1), (3, 1, 2), (-1, 0, 0), ("NNP", "VBD", ".")),
            Dependencies((1, -1, 1), ("nsubj", "root", "punct")),
        ),
        Sentence(3, 6),
    ),
    (Mention(0, 1, 0, "1"), Mention(3, 4, 3, "1")),
)


def test_there_and_back() -> None:
    for document in (DOCUMENT, Document("empty", "", (), ()), Document("raw", "\x00 Hm", (), (), ())):
        text = json.dumps(document_to_json(document, annotators="me"))
        assert parse_annotated(text, where="x")[0] == document
        assert parse_annotated(text.encode(), where="x")[0] == document


def changed(path: list[str | int], value: Any) -> dict[str, Any]:
    data = copy.deepcopy(document_to_json(DOCUMENT))
    place: Any = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["format"], FORMAT + 1, "pip install --upgrade"),
        (["format"], "1", "format: "),
        (["text"], None, "text: "),
        (["text"], "Bob", r"tokens\[1\]"),
        (["text"], " " * 40, r"tokens\[0\]: It covers only space, characters 0 to 3"),
        (["text"], "\ud800" * 40, "surrogate"),
        (["id"], 3, "id: "),
        (["tokens"], {}, "tokens: "),
        (["tokens", 1, "start"], 1, r"tokens\[1\]: It .* overlaps"),
        (["tokens", 1, "start"], 2, r"tokens\[1\]: It .* overlaps"),
        (["tokens", 1, "end"], 999, r"tokens\[1\]: It is outside"),
        (["tokens", 1, "end"], True, r"tokens\[1\]\.end: "),
        (["tokens", 1, "tag"], None, r"tokens\[1\]\.tag: "),
        (["tokens", 1], [], r"tokens\[1\]: "),
        (["sentences", 1, "start"], 2, r"sentences\[1\]: It must begin at token 3"),
        (["sentences", 0, "end"], 0, r"sentences\[0\]: It must begin"),
        (["sentences"], [], "cover 0 of 6 tokens"),
        (["sentences", 0, "constituents", "ends"], [3, 1], "equally long"),
        (["sentences", 0, "constituents", "ends"], [2, 1, 2], "does not cover"),
        (["sentences", 0, "constituents", "ends"], [3, 2, 2], "Phrase 2"),
        (["sentences", 0, "constituents", "parents"], [-1, 0, 2], "Phrase 2"),
        (["sentences", 0, "constituents", "parents"], [-1, -1, 0], "Phrase 1"),
        (["sentences", 0, "constituents", "tags"], ["NN"], "1 entries for 3"),
        (["sentences", 0, "constituents"], 5, r"sentences\[0\]\.constituents: "),
        (["sentences", 0, "dependencies", "heads"], [1, -1], "2 heads and 3 labels for 3"),
        (["sentences", 0, "dependencies", "heads"], [1, -1, 3], "not a token of the sentence"),
        (["sentences", 0, "dependencies", "heads"], [0, -1, 1], "token 0 lead into a cycle"),
        (["sentences", 0, "dependencies", "heads"], [-1, 2, 1], "token 1 lead into a cycle"),
        (["sentences", 0, "dependencies", "labels"], [1, 2, 3], r"labels\[0\]: "),
        (["mentions", 0, "head"], 1, r"mentions\[0\]: Its .* head"),
        (["mentions", 0, "end"], 10**30, r"mentions\[0\]: "),
        (["mentions", 0, "chain"], 1, r"mentions\[0\]\.chain: "),
    ],
)
def test_what_does_not_fit_is_named(path: list[str | int], value: Any, said: str) -> None:
    with pytest.raises(LayerError, match=said) as caught:
        parse_annotated(json.dumps(changed(path, value)), where="doc.json")
    assert str(caught.value).startswith("doc.json")


@pytest.mark.parametrize("missing", ["format", "id", "text", "tokens", "sentences", "mentions"])
def test_a_missing_part_is_named(missing: str) -> None:
    data = document_to_json(DOCUMENT)
    del data[missing]
    with pytest.raises(LayerError, match=missing):
        parse_annotated(json.dumps(data), where="doc.json")


@pytest.mark.parametrize("text", ["", "[", "[]", "null", "[" * 100_000, "NaN", b"\xff\xfe\x00", b"\xe9"])
def test_what_is_no_document_at_all(text: str | bytes) -> None:
    with pytest.raises(LayerError, match="x: "):
        parse_annotated(text, where="x")


def test_the_full_stop_of_an_abbreviation_may_be_two_tokens() -> None:
    """As treebanks write it: the second one stands where the first ends."""
    document = document_from_words("d", [["It", "is", "Acme", "Corp.", "."]], "It is Acme Corp.")
    assert [(token.start, token.end) for token in document.tokens[3:]] == [(11, 16), (15, 16)]
    assert parse_annotated(json.dumps(document_to_json(document)), where="x")[0] == document
