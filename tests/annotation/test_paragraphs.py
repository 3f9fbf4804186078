"""A text cut at its blank lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.text import BLANK_LINE, PARAGRAPH_BREAK, paragraphs


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


@pytest.mark.parametrize(
    "blank",
    ["\n\x00\n", "\n\x0b\x7f \n", "\n\u200b\n", "\r\n\ufeff\r\n", "\u2028\u2028", "\u2029", "\n\u00ad\n"],
)
def test_a_line_with_nothing_to_see_is_blank(blank: str) -> None:
    assert [paragraph for _, paragraph in paragraphs(f"One.{blank}Two.")] == ["One.", "Two."]


@pytest.mark.parametrize("space", ["\n", "\r\n", "\u2028", "\x00", "\n \x00", "\x85", "\x0c"])
def test_a_single_line_end_is_no_break(space: str) -> None:
    assert len(paragraphs(f"One.{space}Two.")) == 1


def test_what_is_written_between_paragraphs_is_a_break() -> None:
    assert BLANK_LINE.fullmatch(PARAGRAPH_BREAK)


@given(st.text(alphabet="ab \n\r\t\x00\u2028\u2029\u00ad", max_size=60))
def test_nothing_but_space_is_lost(text: str) -> None:
    found = paragraphs(text)
    assert all(text[start : start + len(piece)] == piece for start, piece in found)
    letters = [character for _, piece in found for character in piece if character.isalpha()]
    assert letters == [character for character in text if character.isalpha()]
