"""Constituents from benepar, a component that spaCy pipelines can carry.

It gives a sentence its tree as brackets, ``sentence._.parse_string``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from disco2.annotation.formats.ptb import BracketedSentence, parse_brackets

if TYPE_CHECKING:
    from spacy.tokens import Doc

EXTENSION = "parse_string"


def trees_of(doc: Doc, sentences: Sequence[tuple[int, int]]) -> list[BracketedSentence]:
    """The trees of those sentences, given as spans of tokens, that have one; whitespace is no leaf of it.

    A sentence has none where benepar has not seen the document, where it is not one constituent there, and
    where a token holds a space, for then the brackets can't be read.
    """
    from spacy.tokens import Span

    if not Span.has_extension(EXTENSION):
        return []
    trees: list[BracketedSentence] = []
    for start, end in sentences:
        with suppress(Exception):  # benepar raises bare exceptions where it has no tree
            trees += parse_brackets(str(doc[start:end]._.get(EXTENSION)), where=EXTENSION)
    return trees
