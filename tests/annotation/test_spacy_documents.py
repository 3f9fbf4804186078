"""spaCy's documents and ours, in both directions."""

from __future__ import annotations

import pytest

pytest.importorskip("spacy")
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from disco2.annotation.annotator import ALL_LAYERS, Layer, raw_document
from disco2.annotation.english.pieces import Piece, text_pieces
from disco2.annotation.layers import document_from_words
from disco2.annotation.spacy_documents import (
    dependencies_of,
    document_from_spacy,
    to_spacy,
    with_spacy_layers,
    word_sentences,
)
from disco2.records import Dependencies, Document, Mention, Sentence, Token

TOKENS = frozenset({Layer.TOKENS})


def spacy_doc(
    words: list[str],
    *,
    heads: list[int],
    labels: list[str],
    tags: list[str] | None = None,
    starts: list[bool] | None = None,
) -> Doc:
    return Doc(
        Vocab(), words=words, heads=heads, deps=labels, tags=tags or ["X"] * len(words), sent_starts=starts
    )


def test_tokens_and_sentences_survive_the_way_there() -> None:
    text = 'He said (twice):\n\n "Don\'t!"  Then he left.'
    words = [["He", "said", "(", "twice", "):"], ['"', "Do", "n't", '!"'], ["Then", "he", "left", "."]]
    document = document_from_words("d", words, text)
    doc = to_spacy(document, Vocab())
    assert [word.text for word in doc] == [word for sentence in words for word in sentence]
    assert [[word.text for word in sentence] for sentence in doc.sents] == words
    assert doc.text == 'He said (twice): "Don\'t!" Then he left.'
    assert list(to_spacy(raw_document(""), Vocab())) == []


def test_words_come_back_with_exact_places_and_without_whitespace() -> None:
    text = "  A cat\t\n sat .\n\n\n It  slept.\u00a0 "
    tokenizer = spacy.blank("en")
    pieces = [(Piece(text[a:b], a), tokenizer.make_doc(text[a:b])) for a, b in ((0, 15), (15, len(text)))]
    old = Document("d", text, (Token("A", 2, 3),), (Sentence(0, 1),), (Mention(0, 1, 0, "a"),))
    document = document_from_spacy(old, pieces, layers=TOKENS)
    assert [token.text for token in document.tokens] == ["A", "cat", "sat", ".", "It", "slept", "."]
    assert all(text[token.start : token.end] == token.text for token in document.tokens)
    assert [(sentence.start, sentence.end) for sentence in document.sentences] == [(0, 4), (4, 7)]
    assert document.mentions is None
    assert (document.id, document.text) == ("d", text)
    assert {token.tag for token in document.tokens} == {""}


def test_cleaned_pieces_lead_back_to_the_text() -> None:
    text = "A\u00ad  b\u200bc.\n\nIt\x00 sl\u00adept \ud800."
    tokenizer = spacy.blank("en")
    pieces = [(piece, tokenizer.make_doc(piece.text)) for piece in text_pieces(text)]
    document = document_from_spacy(raw_document(text), pieces, layers=TOKENS)
    words = ["A", "b", "c.", "It", "sl\u00adept", "\ud800", "."]
    assert [token.text for token in document.tokens] == words
    assert [text[token.start : token.end] for token in document.tokens] == words


def test_words_that_spacy_does_not_take_are_replaced() -> None:
    document = Document("d", "a \ud800 b", (Token("", 0, 1), Token("\ud800", 2, 3)), (Sentence(0, 2),))
    assert [word.text for word in to_spacy(document, Vocab())] == ["\ufffd", "\ufffd"]


def test_only_the_layers_asked_for_are_made() -> None:
    doc = spacy_doc(["It", "rains"], heads=[1, 1], labels=["nsubj", "ROOT"], tags=["PRP", "VBZ"])
    tagged = document_from_spacy(
        raw_document("It rains"), [(Piece("It rains", 0), doc)], layers=TOKENS | {Layer.TAGS}
    )
    assert [token.tag for token in tagged.tokens] == ["PRP", "VBZ"]
    assert tagged.sentences[0].dependencies is None
    parsed = document_from_spacy(raw_document("It rains"), [(Piece("It rains", 0), doc)], layers=ALL_LAYERS)
    assert parsed.sentences[0].dependencies == Dependencies((1, -1), ("nsubj", "ROOT"))

    own = document_from_words("d", [["It", "rains"]], tags=[["A", "B"]])
    kept = with_spacy_layers(own, doc, layers=frozenset({Layer.DEPENDENCIES}))
    assert [token.tag for token in kept.tokens] == ["A", "B"]
    assert kept.sentences[0].dependencies == Dependencies((1, -1), ("nsubj", "ROOT"))
    retagged = with_spacy_layers(own, doc, layers=frozenset({Layer.TAGS}))
    assert [token.tag for token in retagged.tokens] == ["PRP", "VBZ"]
    assert retagged.sentences == own.sentences


def test_heads_count_from_the_first_word_of_the_sentence() -> None:
    doc = spacy_doc(
        ["Go", "!", " ", "It", "rains"],
        heads=[0, 0, 0, 4, 4],
        labels=["ROOT", "punct", "dep", "nsubj", "ROOT"],
        starts=[True, False, False, True, False],
    )
    assert word_sentences(doc) == [[0, 1], [3, 4]]
    assert dependencies_of(doc, [3, 4]) == Dependencies((1, -1), ("nsubj", "ROOT"))


def test_a_word_that_hangs_on_whitespace_takes_its_head() -> None:
    doc = spacy_doc(["It", "\n", "\t", "rains"], heads=[1, 2, 3, 3], labels=["nsubj", "dep", "dep2", "ROOT"])
    assert dependencies_of(doc, [0, 3]) == Dependencies((1, -1), ("dep2", "ROOT"))


def test_there_is_one_root() -> None:
    doc = spacy_doc(["Go", ",", "stay"], heads=[0, 0, 2], labels=["ROOT", "punct", "ROOT"])
    assert dependencies_of(doc, [0, 1, 2]) == Dependencies((-1, 0, 0), ("ROOT", "punct", "parataxis"))


def test_a_root_of_whitespace_leaves_one_word_as_root() -> None:
    doc = spacy_doc(["\n", "Go", "on"], heads=[0, 0, 1], labels=["ROOT", "dep", "prt"])
    assert dependencies_of(doc, [1, 2]) == Dependencies((-1, 0), ("dep", "prt"))
