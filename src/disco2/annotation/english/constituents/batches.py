"""Sentences of similar length parsed together, and sentences too long to be parsed in one go."""

from __future__ import annotations

from collections.abc import Sequence

LARGEST_CHART = 100_000  # square of the longest length times sentences, in one batch
LARGEST_BATCH = 128  # sentences
LONGEST = 200  # tokens parsed as one sentence; the longest that the parser learnt from has 110
SHORTEST_PIECE = 40
BREAKS = (frozenset({"."}), frozenset({":", "-RRB-", "''"}), frozenset({","}), frozenset({"CC", "IN", "WDT"}))


def batches_by_length(lengths: Sequence[int]) -> list[list[int]]:
    """The indices of sentences in falling order of length, in batches whose charts fit the memory allowed."""
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batches: list[list[int]] = []
    first = 0
    while first < len(order):
        longest = lengths[order[first]]
        size = max(1, min(LARGEST_BATCH, LARGEST_CHART // longest**2))
        batches.append(order[first : first + size])
        first += size
    return batches


def pieces_of(tags: Sequence[str], *, longest: int = LONGEST) -> list[tuple[int, int]]:
    """A sentence as one piece, or cut into several of at most ``longest`` tokens.

    A piece ends after its last token, from the ``SHORTEST_PIECE``-th on, that is a full stop; where there is
    none, after a colon, a closing bracket or a closing quote; else after a comma, else before a conjunction
    or a preposition, else where it must.
    """
    pieces: list[tuple[int, int]] = []
    start = 0
    while len(tags) - start > longest:
        end = start + _cut(tags[start : start + longest])
        pieces.append((start, end))
        start = end
    pieces.append((start, len(tags)))
    return pieces


def _cut(tags: Sequence[str]) -> int:
    """How many of the tokens the next piece takes."""
    shortest = min(SHORTEST_PIECE, len(tags))
    *after, before = BREAKS
    for marks in after:
        for end in range(len(tags), shortest - 1, -1):
            if tags[end - 1] in marks:
                return end
    for end in range(len(tags) - 1, shortest - 1, -1):
        if tags[end] in before:
            return end
    return len(tags)
