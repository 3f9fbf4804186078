"""Tokens paragraph by paragraph, and sentences made on them."""

from __future__ import annotations

from disco2.annotation.english.annotators import EnglishOnDemand
from disco2.annotation.english.syntax import paragraph_tokens
from disco2.annotation.text import BLANK_LINE, LINE_END
from disco2.records import Document, Token


def document_of(text: str) -> Document:
    tokens: list[Token] = []
    place = 0
    for word in text.split():
        place = text.index(word, place)
        tokens.append(Token(word, place, place + len(word)))
        place += len(word)
    return Document("d", text, tuple(tokens), ())


def test_paragraphs_and_lines_part_tokens() -> None:
    document = document_of("It rained .\r\n\r\nWe left\nat once .")
    assert paragraph_tokens(document, parting=BLANK_LINE) == [(0, 3), (3, 8)]
    assert paragraph_tokens(document, parting=LINE_END) == [(0, 3), (3, 5), (5, 8)]
    assert paragraph_tokens(document_of(""), parting=BLANK_LINE) == []


def test_a_long_paragraph_is_cut_behind_a_sentence() -> None:
    document = document_of("a b . c d . e f g h i")
    assert paragraph_tokens(document, parting=BLANK_LINE, longest=4) == [(0, 3), (3, 6), (6, 10), (10, 11)]


def test_sentences_are_made_on_the_tokens_that_are_there() -> None:
    english = EnglishOnDemand.shared()
    document = document_of("It rained . We went home\n\nNobody came . Ann slept .")
    [found] = english.split([document])
    assert found.tokens == document.tokens
    assert [(one.start, one.end) for one in found.sentences] == [(0, 3), (3, 6), (6, 9), (9, 12)]
    assert english.split([document_of("")])[0].sentences == ()
