"""Where a paragraph ends: the one definition, for annotators, readers and predictions alike."""

from __future__ import annotations

import re

PARAGRAPH_BREAK = "\n\n"  # what to write between two paragraphs

# As classes of a pattern. Control characters and zero-width spaces part words, as spaces do; soft hyphens,
# direction marks and word joiners stand inside words and say nothing about them. Neither is to be seen.
SPACE = r"\s\x00-\x1f\x7f-\x9f\u200b"
INVISIBLE = r"\u00ad\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"

# A Windows line end is one. No atomic or possessive groups: before 3.11.5 Python gets them wrong.
_LINE_END = r"(?:\r\n|\r(?!\n)|[\n\u2028\u2029])"
_REST_OF_BLANK_LINE = rf"(?:(?![\n\r\u2028\u2029])[{SPACE}{INVISIBLE}])*"

LINE_END = re.compile(_LINE_END)
# A line with nothing to see on it, or Unicode's own separator; with all the space behind.
BLANK_LINE = re.compile(rf"(?:{_LINE_END}{_REST_OF_BLANK_LINE}{_LINE_END}|\u2029)[{SPACE}]*+")


def paragraphs(text: str) -> list[tuple[int, str]]:
    """The paragraphs and where each begins, in order; those of nothing but space are left out."""
    found: list[tuple[int, str]] = []
    start = 0
    for blank in BLANK_LINE.finditer(text):
        found.append((start, text[start : blank.start()]))
        start = blank.end()
    found.append((start, text[start:]))
    return [(start, paragraph) for start, paragraph in found if paragraph.strip()]
