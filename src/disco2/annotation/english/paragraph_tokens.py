"""The tokens of a document that has no sentences yet, paragraph by paragraph."""

from __future__ import annotations

import re
from itertools import pairwise

from disco2.records import Document, Token

LONGEST = 2_000  # tokens of a paragraph that are looked at together

_SENTENCE_END = re.compile(r"[.!?…]+")


def paragraph_tokens(
    document: Document, *, parting: re.Pattern[str], longest: int = LONGEST
) -> list[tuple[int, int]]:
    """Spans of tokens that cover the document, in order, cut wherever the text between two tokens parts them.

    A very long paragraph is cut as well: behind the last sentence end that fits, else where it must.
    """
    tokens = document.tokens
    cuts = [
        place
        for place, (token, follower) in enumerate(pairwise(tokens), start=1)
        if follower.start - token.end and parting.search(document.text, token.end, follower.start)
    ]
    return [
        span
        for start, end in pairwise([0, *cuts, len(tokens)])
        for span in _parts(tokens, start, end, longest)
    ]


def _parts(tokens: tuple[Token, ...], start: int, end: int, longest: int) -> list[tuple[int, int]]:
    parts: list[tuple[int, int]] = []
    while end - start > longest:
        ends = range(start + longest, start, -1)
        cut = next((place for place in ends if _SENTENCE_END.fullmatch(tokens[place - 1].text)), ends[0])
        parts.append((start, cut))
        start = cut
    return [*parts, (start, end)] if start < end else parts
