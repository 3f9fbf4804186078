"""A document on the text as it was written, from words that know whether a space follows them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from disco2.annotation.formats.conllu import ConlluSentence
from disco2.annotation.paragraphs import PARAGRAPH_BREAK
from disco2.records import Document, Sentence, Token


def document_as_written(
    document_id: str, parses: Sequence[ConlluSentence], *, words: Sequence[str] | None = None
) -> Document:
    """The tokens of the CoNLL-U sentences on a text with their spaces and paragraphs.

    ``words`` are the forms of all tokens, where those of the file are not to be taken.
    """
    if words is None:
        words = [word for parse in parses for word in parse.words]
    gaps = ["" if glued else " " for parse in parses for glued in parse.glued]
    for first in _first_tokens_of_paragraphs(parses):
        if first:
            gaps[first - 1] = PARAGRAPH_BREAK
    pieces = [piece for pair in zip(words, gaps, strict=True) for piece in pair][:-1]
    offsets = [*accumulate(map(len, pieces), initial=0)]
    tags = [tag for parse in parses for tag in parse.tags]
    tokens = tuple(map(Token, words, offsets[0::2], offsets[1::2], tags))
    ends = [*accumulate([len(parse.words) for parse in parses], initial=0)]
    sentences = tuple(map(Sentence, ends[:-1], ends[1:]))
    return Document(document_id, "".join(pieces), tokens, sentences)


def _first_tokens_of_paragraphs(parses: Sequence[ConlluSentence]) -> list[int]:
    found: list[int] = []
    first = 0
    for parse in parses:
        if parse.opens_paragraph:
            found.append(first)
        first += len(parse.words)
    return found
