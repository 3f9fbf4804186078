"""Two arguments that are texts of their own, as one text: the same in training as in prediction."""

from __future__ import annotations

from disco2.annotation.paragraphs import PARAGRAPH_BREAK

Span = tuple[int, int]  # characters, the end exclusive


def pair_text(arg1: str, arg2: str) -> str:
    """Both as paragraphs: no sentence goes on behind a paragraph's end, but coreference does."""
    return arg1 + PARAGRAPH_BREAK + arg2


def pair_spans(arg1: str, arg2: str) -> tuple[Span, Span]:
    """Where the two lie in their common text."""
    origin = len(arg1) + len(PARAGRAPH_BREAK)
    return (0, len(arg1)), (origin, origin + len(arg2))
