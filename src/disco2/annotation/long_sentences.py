"""Sentences too long to be parsed in one go, cut where it costs least."""

from __future__ import annotations

from collections.abc import Sequence

# Best first: behind a full stop; a colon, a closing bracket or quote; a comma.
_BEHIND = (frozenset({"."}), frozenset({":", "-RRB-", "''"}), frozenset({","}))
_BEFORE = frozenset({"CC", "IN", "WDT"})


def pieces_of(tags: Sequence[str], *, longest: int, shortest: int) -> list[tuple[int, int]]:
    """A sentence, given by its tags, as one piece, or cut into several of at most ``longest`` tokens.

    A piece ends after its last token, from the ``shortest``-th on, that is a full stop; where there is none,
    after a colon, a closing bracket or a closing quote; else after a comma, else before a conjunction or a
    preposition, else where it must. Only the last piece may have fewer than ``shortest`` tokens.
    """
    pieces: list[tuple[int, int]] = []
    start = 0
    while len(tags) - start > longest:
        end = start + _cut(tags[start : start + longest], shortest)
        pieces.append((start, end))
        start = end
    pieces.append((start, len(tags)))
    return pieces


def _cut(tags: Sequence[str], shortest: int) -> int:
    """How many of the tokens the next piece takes."""
    least = max(1, min(shortest, len(tags)))
    for marks in _BEHIND:
        for end in range(len(tags), least - 1, -1):
            if tags[end - 1] in marks:
                return end
    for end in range(len(tags) - 1, least - 1, -1):
        if tags[end] in _BEFORE:
            return end
    return len(tags)
