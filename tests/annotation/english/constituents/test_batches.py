"""Batches and charts of bounded size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.english.constituents.chart import (
    LARGEST_BATCH,
    LARGEST_CHART,
    MOST_TOKENS,
    batches_by_length,
    chart_portions,
)


@given(st.lists(st.integers(1, 200), max_size=300))
def test_batches_hold_every_sentence_once_and_stay_small(lengths: list[int]) -> None:
    batches = batches_by_length(lengths)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        sizes = [lengths[index] for index in batch]
        assert sizes == sorted(sizes, reverse=True)
        assert len(batch) <= LARGEST_BATCH
        assert len(batch) == 1 or len(batch) * sizes[0] <= MOST_TOKENS


@given(st.lists(st.integers(1, 200), max_size=128))
def test_charts_hold_every_sentence_of_a_batch_in_order_and_stay_small(lengths: list[int]) -> None:
    lengths.sort(reverse=True)
    portions = [lengths[portion] for portion in chart_portions(lengths)]
    assert [length for portion in portions for length in portion] == lengths
    for portion in portions:
        assert len(portion) == 1 or len(portion) * portion[0] ** 2 <= LARGEST_CHART
