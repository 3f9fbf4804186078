"""Batches of bounded size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.english.constituents.batches import (
    LARGEST_BATCH,
    LARGEST_CHART,
    batches_by_length,
)


@given(st.lists(st.integers(1, 200), max_size=300))
def test_batches_hold_every_sentence_once_and_stay_small(lengths: list[int]) -> None:
    batches = batches_by_length(lengths)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        sizes = [lengths[index] for index in batch]
        assert sizes == sorted(sizes, reverse=True)
        assert len(batch) <= LARGEST_BATCH
        assert len(batch) == 1 or len(batch) * sizes[0] ** 2 <= LARGEST_CHART
