"""A text cut at its blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

BLANK_LINE = re.compile(r"(?>\r\n|\r|\n)[^\S\r\n]*+(?>\r\n|\r|\n)\s*+")

LONGEST = 50_000  # characters; what is longer is cut inside, to bound the memory that an annotator takes


def paragraphs(text: str, *, longest: int = LONGEST) -> list[tuple[int, str]]:
    """The paragraphs and where each begins, in order; those of nothing but space are left out.

    One that is longer than ``longest`` characters is cut at the last line end that fits, else at the last
    space, else in the middle of a word.
    """
    found: list[tuple[int, str]] = []
    start = 0
    for end, behind in _ends(text):
        while end - start > longest:
            cut = _cut(text, start, start + longest)
            found.append((start, text[start:cut]))
            start = cut
        found.append((start, text[start:end]))
        start = behind
    return [(start, paragraph) for start, paragraph in found if paragraph.strip()]


def _ends(text: str) -> Iterator[tuple[int, int]]:
    """Where each paragraph ends, and where the next one begins."""
    for blank in BLANK_LINE.finditer(text):
        yield blank.start(), blank.end()
    yield len(text), len(text)


def _cut(text: str, start: int, limit: int) -> int:
    line = text.rfind("\n", start, limit)
    if line > start:
        return line + 1
    space = next((place for place in range(limit - 1, start, -1) if text[place].isspace()), limit - 1)
    return space + 1
