"""Batches of bounded size, and the cuts of very long sentences."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.english.constituents.batches import (
    LARGEST_BATCH,
    LARGEST_CHART,
    SHORTEST_PIECE,
    batches_by_length,
    pieces_of,
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


@given(
    st.lists(st.sampled_from(["NN", "DT", ",", ".", ":", "CC"]), min_size=1, max_size=400),
    st.integers(50, 120),
)
def test_pieces_cover_the_sentence_and_are_short_enough(tags: list[str], longest: int) -> None:
    pieces = pieces_of(tags, longest=longest)
    assert pieces[0][0] == 0
    assert pieces[-1][1] == len(tags)
    assert all(end == start for (_, end), (start, _) in pairwise(pieces))
    assert all(0 < end - start <= longest for start, end in pieces)
    assert all(end - start >= SHORTEST_PIECE for start, end in pieces[:-1])


def test_a_cut_prefers_a_full_stop_to_a_comma() -> None:
    tags = ["NN"] * 45 + ["."] + ["NN"] * 20 + [","] + ["NN"] * 60
    assert pieces_of(tags, longest=100) == [(0, 46), (46, 127)]


def test_a_cut_is_before_a_conjunction_where_there_is_no_punctuation() -> None:
    tags = ["NN"] * 70 + ["CC"] + ["NN"] * 60
    assert pieces_of(tags, longest=100) == [(0, 70), (70, 131)]


def test_a_short_sentence_is_one_piece() -> None:
    assert pieces_of(["UH", "."]) == [(0, 2)]
