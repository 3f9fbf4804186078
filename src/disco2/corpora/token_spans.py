"""Character spans -> the tokens under them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from disco2.records import Argument, Document


@dataclass(frozen=True, slots=True)
class TokensUnder:
    """The tokens that share a character with some spans, in order; ``exact`` where the spans cut none."""

    tokens: tuple[int, ...]
    exact: bool


class TokenSpans:
    """Looks up the tokens of one document by character offsets, ends exclusive."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._starts = [token.start for token in document.tokens]
        self._ends = [token.end for token in document.tokens]

    def under(self, spans: Iterable[tuple[int, int]]) -> TokensUnder:
        """The tokens under the spans; spaces at the edges of a span do not make it inexact."""
        chosen: set[int] = set()
        exact = True
        for start, end in spans:
            first = bisect_right(self._ends, start)
            last = bisect_left(self._starts, end)
            chosen.update(range(first, last))
            whole = first < last and start <= self._starts[first] and self._ends[last - 1] <= end
            exact = exact and whole and end <= len(self._text)
        return TokensUnder(tuple(sorted(chosen)), exact)

    def argument(self, spans: Iterable[tuple[int, int]]) -> tuple[Argument, bool]:
        """The argument under the spans, its pieces joined by a space, and whether the spans cut no token."""
        spans = tuple(spans)
        under = self.under(spans)
        return Argument(under.tokens, " ".join(self._text[start:end] for start, end in spans)), under.exact
