"""spaCy's documents and ours, in both directions."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("spacy")
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from disco2.annotation.annotator import Layer, raw_document
from disco2.annotation.layers import document_from_words
from disco2.annotation.spacy_pipeline import (
    Analysis,
    analysis_of,
    document_of_pieces,
    sentence_spans,
    to_spacy,
    with_layers,
    word_mask,
)
from disco2.annotation.text import Piece, text_pieces
from disco2.data import Dependencies, Document, Mention, Sentence, Token


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


def analysed(doc: Doc, *, tagged: bool = False, parsed: bool = False) -> Analysis:
    return analysis_of(doc, sentence_spans(doc), tagged=tagged, parsed=parsed, words=word_mask(doc))


def parse_of(doc: Doc) -> list[Dependencies | None]:
    return list(analysed(doc, parsed=True).dependencies)


def test_tokens_and_sentences_survive_the_way_there() -> None:
    text = 'He said (twice):\n\n "Don\'t!"  Then he left.'
    words = [["He", "said", "(", "twice", "):"], ['"', "Do", "n't", '!"'], ["Then", "he", "left", "."]]
    document = document_from_words("d", words, text)
    doc = to_spacy(document, Vocab())
    assert [word.text for word in doc] == [word for sentence in words for word in sentence]
    assert [[word.text for word in sentence] for sentence in doc.sents] == words
    assert doc.text == 'He said (twice): "Don\'t!" Then he left.'
    assert list(to_spacy(raw_document(""), Vocab())) == []
    part = to_spacy(document, Vocab(), 5, 11)
    assert [[word.text for word in sentence] for sentence in part.sents] == [words[1], ["Then", "he"]]
    assert part.text == '"Don\'t!" Then he'


def test_words_come_back_with_exact_places_and_without_whitespace() -> None:
    text = "  A cat\t\n sat .\n\n\n It  slept.\u00a0 "
    tokenizer = spacy.blank("en")
    pieces = [
        (Piece(text[a:b], a), analysed(tokenizer.make_doc(text[a:b]))) for a, b in ((0, 15), (15, len(text)))
    ]
    old = Document("d", text, (Token("A", 2, 3),), (Sentence(0, 1),), (Mention(0, 1, 0, "a"),))
    document = document_of_pieces(old, pieces)
    assert [token.text for token in document.tokens] == ["A", "cat", "sat", ".", "It", "slept", "."]
    assert all(text[token.start : token.end] == token.text for token in document.tokens)
    assert [(sentence.start, sentence.end) for sentence in document.sentences] == [(0, 4), (4, 7)]
    assert document.mentions is None
    assert (document.id, document.text) == ("d", text)
    assert {token.tag for token in document.tokens} == {""}


def test_cleaned_pieces_lead_back_to_the_text() -> None:
    text = "A\u00ad  b\u200bc.\n\nIt\x00 sl\u00adept \ud800."
    tokenizer = spacy.blank("en")
    pieces = [(piece, analysed(tokenizer.make_doc(piece.text))) for piece in text_pieces(text)]
    document = document_of_pieces(raw_document(text), pieces)
    words = ["A", "b", "c.", "It", "sl\u00adept", "\ud800", "."]
    assert [token.text for token in document.tokens] == words
    assert [text[token.start : token.end] for token in document.tokens] == words


def test_words_that_spacy_does_not_take_are_replaced() -> None:
    document = Document("d", "a \ud800 b", (Token("", 0, 1), Token("\ud800", 2, 3)), (Sentence(0, 2),))
    assert [word.text for word in to_spacy(document, Vocab())] == ["\ufffd", "\ufffd"]


def test_only_the_layers_asked_for_are_made() -> None:
    doc = spacy_doc(["It", "rains"], heads=[1, 1], labels=["nsubj", "ROOT"], tags=["PRP", "VBZ"])
    piece = Piece("It rains", 0)
    tagged = document_of_pieces(raw_document("It rains"), [(piece, analysed(doc, tagged=True))])
    assert [token.tag for token in tagged.tokens] == ["PRP", "VBZ"]
    assert tagged.sentences[0].dependencies is None
    parsed = document_of_pieces(raw_document("It rains"), [(piece, analysed(doc, parsed=True))])
    assert [token.tag for token in parsed.tokens] == ["", ""]
    assert parsed.sentences[0].dependencies == Dependencies((1, -1), ("nsubj", "root"))

    own = document_from_words("d", [["It", "rains"]], tags=[["A", "B"]])
    everything = [analysed(doc, tagged=True, parsed=True)]
    kept = with_layers(own, everything, layers=frozenset({Layer.DEPENDENCIES}))
    assert [token.tag for token in kept.tokens] == ["A", "B"]
    assert kept.sentences[0].dependencies == Dependencies((1, -1), ("nsubj", "root"))
    retagged = with_layers(own, everything, layers=frozenset({Layer.TAGS}))
    assert [token.tag for token in retagged.tokens] == ["PRP", "VBZ"]
    assert retagged.sentences == own.sentences


def test_empty_sentences_stay_without_dependencies() -> None:
    own = document_from_words("d", [["It", "rains"]])
    own = replace(own, sentences=(Sentence(0, 0), *own.sentences, Sentence(2, 2)))
    assert [word.is_sent_start for word in to_spacy(own, Vocab())] == [True, False]
    doc = spacy_doc(["It", "rains"], heads=[1, 1], labels=["nsubj", "ROOT"])
    parsed = with_layers(own, [analysed(doc, parsed=True)], layers=frozenset({Layer.DEPENDENCIES}))
    assert [sentence.dependencies is None for sentence in parsed.sentences] == [True, False, True]


def test_heads_count_from_the_first_word_of_the_sentence() -> None:
    doc = spacy_doc(
        ["Go", "!", " ", "It", "rains"],
        heads=[0, 0, 0, 4, 4],
        labels=["ROOT", "punct", "dep", "nsubj", "ROOT"],
        starts=[True, False, False, True, False],
    )
    found = analysed(doc, parsed=True)
    assert found.sentences == [(0, 2), (2, 4)]
    assert found.dependencies[1] == Dependencies((1, -1), ("nsubj", "root"))
    assert analysis_of(doc, [(0, 3), (3, 5)], tagged=False, parsed=True).dependencies == [
        Dependencies((-1, 0, 0), ("root", "punct", "dep")),
        Dependencies((1, -1), ("nsubj", "root")),
    ]


def test_a_sentence_of_whitespace_is_none() -> None:
    doc = spacy_doc(
        [" ", "Go", "\n", "on"],
        heads=[0, 1, 2, 3],
        labels=["ROOT"] * 4,
        tags=["_SP", "VB", "_SP", "RP"],
        starts=[True, True, True, True],
    )
    found = analysed(doc, tagged=True, parsed=True)
    assert (found.sentences, found.tags) == ([(0, 1), (1, 2)], ["VB", "RP"])
    assert found.dependencies == [Dependencies((-1,), ("root",))] * 2


def test_a_word_that_hangs_on_whitespace_takes_its_head() -> None:
    doc = spacy_doc(["It", "\n", "\t", "rains"], heads=[1, 2, 3, 3], labels=["nsubj", "dep", "dep2", "ROOT"])
    assert parse_of(doc) == [Dependencies((1, -1), ("dep2", "root"))]


def test_there_is_one_root() -> None:
    doc = spacy_doc(["Go", ",", "stay"], heads=[0, 0, 2], labels=["ROOT", "punct", "ROOT"])
    found = analysis_of(doc, [(0, 3)], tagged=False, parsed=True)
    assert found.dependencies == [Dependencies((-1, 0, 0), ("root", "punct", "parataxis"))]


def test_a_root_of_whitespace_leaves_one_word_as_root() -> None:
    doc = spacy_doc(["\n", "Go", "on"], heads=[0, 0, 1], labels=["ROOT", "dep", "prt"])
    assert parse_of(doc) == [Dependencies((-1, 0), ("root", "prt"))]
