"""A document on the text as it was written, where a corpus has only the tokens with spaces between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from disco2.annotation.conllu import ConlluSentence
from disco2.annotation.paragraphs import PARAGRAPH_BREAK
from disco2.records import Document, Token


def respaced(document: Document, sentences: Sequence[ConlluSentence]) -> Document:
    """The same tokens and layers on a text with the spaces and paragraphs of the CoNLL-U sentences.

    A document whose tokens are not those of the sentences is given back as it is.
    """
    glued = [flag for sentence in sentences for flag in sentence.glued]
    if len(glued) != len(document.tokens):
        return document
    opening = _first_tokens_of_paragraphs(sentences)
    tokens: list[Token] = []
    pieces: list[str] = []
    offset = 0
    for index, token in enumerate(document.tokens):
        if index:
            gap = PARAGRAPH_BREAK if index in opening else "" if glued[index - 1] else " "
            pieces.append(gap)
            offset += len(gap)
        tokens.append(Token(token.text, offset, offset + len(token.text), token.tag))
        pieces.append(token.text)
        offset += len(token.text)
    return replace(document, text="".join(pieces), tokens=tuple(tokens))


def _first_tokens_of_paragraphs(sentences: Sequence[ConlluSentence]) -> set[int]:
    found: set[int] = set()
    first = 0
    for sentence in sentences:
        if sentence.opens_paragraph:
            found.add(first)
        first += len(sentence.words)
    return found
