"""One root for a sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.heads import single_rooted
from disco2.records import Dependencies


def test_further_roots_hang_on_the_first() -> None:
    assert single_rooted([1, -1, 1, -1, 3, -1], list("abcdef")) == Dependencies(
        (1, -1, 1, 1, 3, 1), ("a", "b", "c", "parataxis", "e", "parataxis")
    )


def test_what_has_one_root_or_none_stays() -> None:
    assert single_rooted([1, -1], ["nsubj", "root"]) == Dependencies((1, -1), ("nsubj", "root"))
    assert single_rooted([], []) == Dependencies((), ())


@given(st.lists(st.sampled_from([-1, 0, 1, 2]), min_size=1, max_size=8))
def test_as_one_would_do_it_word_by_word(heads: list[int]) -> None:
    expected: list[tuple[int, str]] = []
    root = -1
    for place, head in enumerate(heads):
        if head >= 0:
            expected.append((head, "x"))
        elif root < 0:
            root = place
            expected.append((-1, "x"))
        else:
            expected.append((root, "parataxis"))
    found = single_rooted(heads, ["x"] * len(heads))
    assert list(zip(found.heads, found.labels, strict=True)) == expected
