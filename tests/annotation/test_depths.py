"""Depths of words below their root, circles and all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.heads import depths_below_root


def test_depths() -> None:
    assert depths_below_root(()) == ()
    assert depths_below_root((-1, 0, 1, 1, -1)) == (0, 1, 2, 2, 0)
    assert depths_below_root((1, 2, -1)) == (2, 1, 0)


def test_what_leads_to_a_circle_is_deepest() -> None:
    assert depths_below_root((1, 0, 1, -1, 3, 5)) == (6, 6, 6, 0, 1, 6)


@given(st.integers(1, 9).flatmap(lambda n: st.lists(st.integers(-1, n - 1), min_size=n, max_size=n)))
def test_each_is_what_walking_up_finds(heads: list[int]) -> None:
    def walked(word: int) -> int:
        steps = 0
        while heads[word] >= 0 and steps < len(heads):
            word = heads[word]
            steps += 1
        return steps

    assert depths_below_root(tuple(heads)) == tuple(map(walked, range(len(heads))))
