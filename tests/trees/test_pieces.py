"""Runs of adjacent tokens."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from disco2.trees.pieces import runs_from_the_right


@given(st.sets(st.integers(0, 30), min_size=1).map(sorted))
def test_runs_cover_the_tokens_and_have_gaps_between_them(tokens: list[int]) -> None:
    runs = list(runs_from_the_right(tokens))[::-1]
    assert [token for begin, end in runs for token in range(begin, end)] == tokens
    assert all(end < begin for (_, end), (begin, _) in pairwise(runs))
