"""A text cut at its blank lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.paragraphs import paragraphs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\n \t\n", []),
        ("One.", [(0, "One.")]),
        ("One.\nStill one.", [(0, "One.\nStill one.")]),
        ("One.\n\nTwo.", [(0, "One."), (6, "Two.")]),
        ("One.\r\nStill one.\r\n\r\nTwo.", [(0, "One.\r\nStill one."), (20, "Two.")]),
        ("One.\n \t\n\n  Two.", [(0, "One."), (11, "Two.")]),
        ("One.\r\rTwo.", [(0, "One."), (6, "Two.")]),
    ],
)
def test_a_blank_line_separates(text: str, expected: list[tuple[int, str]]) -> None:
    assert paragraphs(text) == expected


def test_a_long_paragraph_is_cut_at_a_line_end_then_at_a_space_then_anywhere() -> None:
    assert [piece for _, piece in paragraphs("ab cd\nef gh", longest=8)] == ["ab cd\n", "ef gh"]
    assert [piece for _, piece in paragraphs("ab cd ef", longest=7)] == ["ab cd ", "ef"]
    assert [piece for _, piece in paragraphs("abcdefgh", longest=3)] == ["abc", "def", "gh"]


@given(st.text(alphabet="ab \n\r\t", max_size=60), st.integers(1, 10))
def test_nothing_but_space_is_lost(text: str, longest: int) -> None:
    found = paragraphs(text, longest=longest)
    assert all(text[start : start + len(piece)] == piece for start, piece in found)
    assert all(len(piece) <= longest for _, piece in found)
    assert "".join("".join(piece for _, piece in found).split()) == "".join(text.split())
