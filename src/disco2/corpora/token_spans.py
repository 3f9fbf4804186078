"""Character spans -> the tokens under them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from disco2.corpora.coverage import Coverage
from disco2.corpora.intervals import joined
from disco2.records import Argument, Document


@dataclass(frozen=True, slots=True)
class TokensUnder:
    """The tokens that share a character with some spans, in order; ``exact`` where the spans cut none."""

    tokens: tuple[int, ...]
    exact: bool


class TokenSpans:
    """Looks up tokens, given as their spans in a text, by character offsets, ends exclusive.

    Both the starts and the ends of the tokens ascend. CorpusError is raised where what was looked up is many
    times the text.
    """

    def __init__(self, text: str, tokens: Sequence[tuple[int, int]], *, document: str = "") -> None:
        self._text = text
        self._starts = [start for start, _ in tokens]
        self._ends = [end for _, end in tokens]
        self._coverage = Coverage(document, len(text), self._starts, self._ends)

    @classmethod
    def of(cls, document: Document) -> Self:
        places = [(token.start, token.end) for token in document.tokens]
        return cls(document.text, places, document=document.id)

    def under(self, spans: Iterable[tuple[int, int]]) -> TokensUnder:
        """The tokens under the spans; spaces at the edges of a span do not make it inexact."""
        found: list[tuple[int, int]] = []
        exact = True
        for start, end in spans:
            first = bisect_right(self._ends, start)
            last = bisect_left(self._starts, end)
            whole = first < last and start <= self._starts[first] and self._ends[last - 1] <= end
            exact = exact and whole and end <= len(self._text)
            if start < end:
                found.append((first, last))
        return TokensUnder(self._coverage.tokens(joined(found)), exact)

    def argument(self, spans: Iterable[tuple[int, int]]) -> tuple[Argument, bool]:
        """The argument under the spans, its pieces joined by a space, and whether the spans cut no token."""
        spans = tuple(spans)
        under = self.under(spans)
        pieces = (self._text[start:end] for start, end in joined(spans))
        return Argument(under.tokens, " ".join(pieces)), under.exact
