"""Which sentences of a layer belong to which sentence of a document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from disco2.annotation.alignment import align_tokens
from disco2.records import Document


@dataclass(frozen=True, slots=True)
class Fit:
    """The layer's sentences that make up one sentence of the document.

    ``ranges`` gives, for each token of the sentence, the words that share its characters (first, last
    exclusive), counted from the first word of the first piece; an empty range for punctuation that the layer
    lacks; None where words and tokens are the same.
    """

    pieces: range
    ranges: tuple[tuple[int, int], ...] | None = None


def fit_sentences(document: Document, layer: Sequence[Sequence[str]]) -> list[Fit | None]:
    """For each sentence of the document its fit, or None where the layer's words are others.

    None, too, where a sentence of the layer reaches into two sentences of the document.
    """
    words = [word for sentence in layer for word in sentence]
    tokens = [token.text for token in document.tokens]
    lengths = [len(sentence) for sentence in layer]
    if words == tokens and lengths == [len(sentence) for sentence in document.sentences]:
        return [Fit(range(index, index + 1)) for index in range(len(lengths))]

    places = align_tokens(words, tokens)
    starts = [0, *accumulate(lengths)]
    fits: list[Fit | None] = []
    for sentence in document.sentences:
        ranges = _without_holes(places[sentence.start : sentence.end], tokens[sentence.start : sentence.end])
        if ranges is None:
            fits.append(None)
            continue
        first = bisect_right(starts, ranges[0][0]) - 1
        last = bisect_right(starts, max(ranges[-1][0], ranges[-1][1] - 1)) - 1
        base = starts[first]
        shifted = tuple((start - base, end - base) for start, end in ranges)
        same = first == last and shifted == tuple((i, i + 1) for i in range(lengths[first]))
        fits.append(Fit(range(first, last + 1), None if same else shifted))
    return _without_sharing(fits)


def _without_holes(
    places: Sequence[tuple[int, int] | None], tokens: Sequence[str]
) -> list[tuple[int, int]] | None:
    """An empty range beside its neighbour for punctuation that the layer lacks; None if it lacks a word."""
    first = next((place[0] for place in places if place is not None), None)
    if first is None:
        return None
    ranges: list[tuple[int, int]] = []
    for place, token in zip(places, tokens, strict=True):
        if place is None:
            if any(map(str.isalnum, token)):
                return None
            beside = max(ranges[-1][0], ranges[-1][1] - 1) if ranges else first
            place = beside, beside
        ranges.append(place)
    return ranges


def _without_sharing(fits: Sequence[Fit | None]) -> list[Fit | None]:
    uses: dict[int, int] = {}
    for fit in fits:
        for piece in fit.pieces if fit is not None else ():
            uses[piece] = uses.get(piece, 0) + 1
    return [
        fit if fit is not None and all(uses[piece] == 1 for piece in fit.pieces) else None for fit in fits
    ]
