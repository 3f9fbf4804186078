"""Sentences of similar length parsed together.

The encoder takes many sentences at once, for its products are quickest with some hundred; the chart takes
fewer, for each costs it as much as the longest of them.
"""

from __future__ import annotations

from collections.abc import Sequence

LARGEST_BATCH = 128  # sentences encoded at once
MOST_TOKENS = 3_000  # encoded at once, in sentences taken to be as long as the longest
LARGEST_CHART = 100_000  # square of the longest length times sentences, in one chart


def batches_by_length(lengths: Sequence[int]) -> list[list[int]]:
    """The indices of sentences in falling order of length, in batches for the encoder."""
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batches: list[list[int]] = []
    first = 0
    while first < len(order):
        size = max(1, min(LARGEST_BATCH, MOST_TOKENS // lengths[order[first]]))
        batches.append(order[first : first + size])
        first += size
    return batches


def chart_portions(lengths: Sequence[int]) -> list[slice]:
    """A batch whose lengths never rise, in portions whose charts are small."""
    portions: list[slice] = []
    first = 0
    while first < len(lengths):
        size = max(1, LARGEST_CHART // lengths[first] ** 2)
        portions.append(slice(first, min(first + size, len(lengths))))
        first += size
    return portions
