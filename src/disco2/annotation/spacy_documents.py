"""spaCy's documents and ours, in both directions.

A document without tokens goes to spaCy in pieces of its text, and comes back by ``document_from_spacy``: the
words have exact places in the text, and whitespace is no token. One with tokens goes there by ``to_spacy``,
which keeps tokens and sentences, and takes its layers back by ``with_spacy_layers``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.english.pieces import encodable
from disco2.annotation.projection import SECOND_ROOT
from disco2.records import Dependencies, Document, Sentence, Token

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab


class PieceOfText(Protocol):
    """A stretch of a document's text, perhaps cleaned, that knows the way back."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The document's offsets of the piece's characters ``start`` to ``end`` (exclusive)."""


def to_spacy(document: Document, vocab: Vocab) -> Doc:
    """A spaCy document with the same words and sentences; any gap between words becomes one space."""
    from spacy.tokens import Doc

    tokens = document.tokens
    starts = {sentence.start for sentence in document.sentences}
    followers = [*(token.start for token in tokens[1:]), len(document.text)]
    return Doc(
        vocab,
        words=[encodable(token.text) for token in tokens],
        spaces=[token.end < follower for token, follower in zip(tokens, followers, strict=False)],
        sent_starts=[index in starts for index in range(len(tokens))],
    )


def document_from_spacy(
    document: Document, pieces: Iterable[tuple[PieceOfText, Doc]], *, layers: Layers
) -> Document:
    """The document's text with the tokens and sentences of spaCy's, and the tags and dependencies asked for.

    Each piece of the text stands with the spaCy document made from it; a sentence never reaches into the next
    piece. Layers other than these are gone with the tokens they stood on.
    """
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    for piece, doc in pieces:
        for words in word_sentences(doc):
            first = len(tokens)
            for index in words:
                word = doc[index]
                start, end = piece.span(word.idx, word.idx + len(word.text))
                tag = word.tag_ if Layer.TAGS in layers else ""
                tokens.append(Token(document.text[start:end], start, end, tag))
            parse = dependencies_of(doc, words) if Layer.DEPENDENCIES in layers else None
            sentences.append(Sentence(first, len(tokens), dependencies=parse))
    return replace(document, tokens=tuple(tokens), sentences=tuple(sentences), mentions=None)


def with_spacy_layers(document: Document, doc: Doc, *, layers: Layers) -> Document:
    """The document with the tags and dependencies asked for, where ``doc`` has its very tokens."""
    tokens, sentences = document.tokens, document.sentences
    if Layer.TAGS in layers:
        tokens = tuple([replace(token, tag=word.tag_) for token, word in zip(tokens, doc, strict=True)])
    if Layer.DEPENDENCIES in layers:
        sentences = tuple(
            [
                replace(sentence, dependencies=dependencies_of(doc, range(sentence.start, sentence.end)))
                for sentence in sentences
            ]
        )
    return replace(document, tokens=tokens, sentences=sentences)


def word_sentences(doc: Doc) -> list[list[int]]:
    """The sentences, each as the indexes of its words; whitespace is no word, and no sentence of its own.

    A document that nobody cut is one sentence.
    """
    sentences: list[list[int]] = [[]]
    for word in doc:
        if word.is_sent_start and sentences[-1]:
            sentences.append([])
        if not word.text.isspace():
            sentences[-1].append(word.i)
    return [words for words in sentences if words]


def dependencies_of(doc: Doc, words: Sequence[int]) -> Dependencies:
    """The parse of one sentence, given as the indexes of its words.

    A word that hangs on whitespace takes the head of that. There is one root: a further word whose head lies
    outside hangs on it.
    """
    place_of = {word: place for place, word in enumerate(words)}
    heads: list[int] = []
    labels: list[str] = []
    root = -1
    for place, index in enumerate(words):
        word = doc[index]
        label, head = word.dep_, word.head
        while head.i not in place_of and head.head.i != head.i and head.text.isspace():
            label, head = head.dep_, head.head
        if head.i in place_of and head.i != index:
            heads.append(place_of[head.i])
        elif root < 0:
            root = place
            heads.append(-1)
        else:
            heads.append(root)
            label = SECOND_ROOT
        labels.append(label)
    return Dependencies(tuple(heads), tuple(labels))
