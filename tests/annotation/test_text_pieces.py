"""Texts cut into pieces for spaCy, and the way back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.text import LONGEST, LONGEST_WORD, encodable, text_pieces

NASTY = st.text("ab. \n\r\t\x00\u200b\u00ad\u200f\u2028é\u0301😀\ud800")


def seen_slowly(character: str) -> str:
    """What the tokenizer sees of one character, before spaces are joined."""
    if character.isspace() or ord(character) < 32 or 127 <= ord(character) < 160 or character == "\u200b":
        return " "
    if character in "\u00ad\u200f":
        return ""
    return "\ufffd" if "\ud800" <= character <= "\udfff" else character


@given(NASTY, st.integers(1, 30))
def test_pieces_hold_what_is_to_be_seen(text: str, longest: int) -> None:
    expected = "".join(map(seen_slowly, text)).split()
    pieces = text_pieces(text, longest=longest)
    assert "".join("".join(piece.text for piece in pieces).split()) == "".join(expected)
    assert all(re.fullmatch(r"\S+(?: \S+)*", piece.text) for piece in pieces)
    assert all(len(piece.text) <= longest for piece in pieces)


@given(NASTY, st.integers(1, 30))
def test_every_character_finds_back(text: str, longest: int) -> None:
    behind = 0
    for piece in text_pieces(text, longest=longest):
        for index, character in enumerate(piece.text):
            start, end = piece.span(index, index + 1)
            assert behind <= start
            assert end == start + 1
            seen = seen_slowly(text[start])
            assert seen == character or (character == " " and not seen)
            behind = end


@given(NASTY)
def test_no_piece_holds_a_blank_line(text: str) -> None:
    for piece in text_pieces(text):
        start, end = piece.span(0, len(piece.text))
        assert re.search(r"\n\s*\n", text[start:end]) is None


def test_a_clean_text_needs_no_table_of_places() -> None:
    [piece] = text_pieces("  Ann sings.\n")
    assert piece.text == "Ann sings."
    assert piece.span(0, 3) == (2, 5)
    [plain] = text_pieces("Ann sings.")
    assert plain.places is None


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("It is. So it is then", ["It is.", "So it is", "then"]),
        ("abcdefghijklmn", ["abcdefghij", "klmn"]),
        ("one two three four", ["one two", "three four"]),
    ],
)
def test_a_long_paragraph_is_cut_at_the_best_place(text: str, pieces: list[str]) -> None:
    assert [piece.text for piece in text_pieces(text, longest=10)] == pieces


def test_no_piece_is_longer_than_spacy_takes() -> None:
    text = "Ann sings. " * 20_000 + "x" * 1_100_000 + " y" * 100_000
    pieces = text_pieces(text)
    assert max(len(piece.text) for piece in pieces) <= LONGEST + LONGEST // LONGEST_WORD
    assert sum(len(piece.text.replace(" ", "")) for piece in pieces) == len(text.replace(" ", ""))


def test_an_overlong_word_is_parted() -> None:
    [piece] = text_pieces(f"\u200eab {'x' * 1000} cd")
    assert [len(word) for word in piece.text.split()] == [2, 400, 400, 200, 2]
    assert piece.span(3, 403) == (4, 404)
    assert piece.span(404, 804) == (404, 804)
    assert piece.span(805, 1005) == (804, 1004)
    assert piece.span(1006, 1008) == (1005, 1007)


def test_a_word_that_can_not_be_written_is_replaced() -> None:
    assert encodable("a\ud800b") == "a\ufffdb"
    assert encodable("") == "\ufffd"
