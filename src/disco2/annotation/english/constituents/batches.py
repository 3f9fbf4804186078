"""Sentences of similar length parsed together."""

from __future__ import annotations

from collections.abc import Sequence

LARGEST_CHART = 100_000  # square of the longest length times sentences, in one batch
LARGEST_BATCH = 128  # sentences


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
