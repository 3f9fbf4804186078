"""The text of an argument, mentions of shared entities marked: underlined, with the entity's number."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

Span = tuple[int, int, int]  # start, end, the entity's number


def marked(text: str, mentions: Iterable[tuple[int, str]]) -> tuple[Markup, set[int]]:
    """The text as HTML, and the numbers of the entities that were found in it.

    ``mentions`` are numbers of entities with their words. A mention may lie within another one; of two that
    overlap otherwise, the first is marked.
    """
    spans = _nested(_found(text, mentions))
    pieces: list[Markup] = []
    open_spans: list[Span] = []
    place = 0
    for span in [*spans, (len(text), len(text), 0)]:
        while open_spans and open_spans[-1][1] <= span[0]:
            _, end, number = open_spans.pop()
            pieces += [escape(text[place:end]), Markup("<sup>{}</sup></mark>").format(number)]
            place = end
        pieces.append(escape(text[place : span[0]]))
        place = span[0]
        if span[2]:
            pieces.append(Markup("<mark>"))
            open_spans.append(span)
    return Markup("").join(pieces), {number for _, _, number in spans}


def _found(text: str, mentions: Iterable[tuple[int, str]]) -> list[Span]:
    """Where mentions stand; the same words a second time are looked for behind the first."""
    spans: list[Span] = []
    taken: set[tuple[int, int]] = set()
    for number, mention in mentions:
        words = mention.split()
        if not words:
            continue
        # Tokens may be joined in the text ("Ann's") and apart in the mention ("Ann 's").
        pattern = r"(?<!\w)" + r"\s*".join(map(re.escape, words)) + r"(?!\w)"
        for match in re.finditer(pattern, text):
            if match.span() not in taken:
                taken.add(match.span())
                spans.append((*match.span(), number))
                break
    return spans


def _nested(spans: list[Span]) -> list[Span]:
    """In the order of the text, the outer ones first, without those that cross another one."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        if not any(other[0] < span[0] < other[1] < span[1] for other in kept):
            kept.append(span)
    return kept
