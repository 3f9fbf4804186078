"""Intervals of characters or tokens, ends exclusive, as files list them: in any order, one over the other."""

from __future__ import annotations

from collections.abc import Iterable


def joined(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The intervals in order, those that overlap made one, empty ones left out.

    A list that names the same stretch a thousand times is then no longer than the stretch. Intervals that
    only touch stay apart.
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(intervals):
        if start >= end:
            continue
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
