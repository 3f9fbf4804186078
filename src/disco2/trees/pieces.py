"""An argument, sentence by sentence."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from disco2.errors import LayerError
from disco2.records import Document, Sentence


def pieces(doc: Document, tokens: Sequence[int]) -> Iterator[tuple[Sentence, list[int]]]:
    """Each sentence that an argument's tokens touch, with those that are in it.

    The tokens count from the sentence's first one, as the sentence's layers do, and are in order.
    """
    first = 0
    while first < len(tokens):
        sentence = doc.sentences[doc.sentence_index(tokens[first])] if doc.sentences else Sentence(0, 0)
        last = bisect_left(tokens, sentence.end, first)
        if last == first:
            raise LayerError(
                f"Token {tokens[first]} of an argument lies in no sentence.",
                where=doc.id,
                hint="Check that the sentences of this document cover all of its tokens.",
            )
        yield sentence, [token - sentence.start for token in tokens[first:last]]
        first = last


def runs_from_the_right(tokens: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The stretches of adjacent tokens, each as (first, last exclusive), the last one first."""
    if tokens[-1] - tokens[0] + 1 == len(tokens):
        yield tokens[0], tokens[-1] + 1
        return
    begin = end = tokens[-1] + 1
    for token in reversed(tokens):
        if token + 1 != begin:
            yield begin, end
            end = token + 1
        begin = token
    yield begin, end
