"""The cuts of very long sentences."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.text import pieces_of


@given(
    st.lists(st.sampled_from(["NN", "DT", ",", ".", ":", "CC"]), min_size=1, max_size=400),
    st.integers(1, 120),
    st.integers(0, 120),
)
def test_pieces_cover_the_sentence_and_are_short_enough(tags: list[str], longest: int, shortest: int) -> None:
    pieces = pieces_of(tags, longest=longest, shortest=shortest)
    assert pieces[0][0] == 0
    assert pieces[-1][1] == len(tags)
    assert all(end == start for (_, end), (start, _) in pairwise(pieces))
    assert all(0 < end - start <= longest for start, end in pieces)
    assert all(end - start >= min(shortest, longest) for start, end in pieces[:-1])


def test_a_cut_prefers_a_full_stop_to_a_comma() -> None:
    tags = ["NN"] * 45 + ["."] + ["NN"] * 20 + [","] + ["NN"] * 60
    assert pieces_of(tags, longest=100, shortest=40) == [(0, 46), (46, 127)]


def test_a_cut_is_before_a_conjunction_where_there_is_no_punctuation() -> None:
    tags = ["NN"] * 70 + ["CC"] + ["NN"] * 60
    assert pieces_of(tags, longest=100, shortest=40) == [(0, 70), (70, 131)]


def test_a_piece_is_not_too_short() -> None:
    tags = ["NN"] * 3 + ["."] + ["NN"] * 10
    assert pieces_of(tags, longest=10, shortest=5) == [(0, 10), (10, 14)]
    assert pieces_of(tags, longest=10, shortest=4) == [(0, 4), (4, 14)]


def test_a_short_sentence_is_one_piece() -> None:
    assert pieces_of(["UH", "."], longest=200, shortest=40) == [(0, 2)]
