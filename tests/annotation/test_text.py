"""Paragraphs, pieces of text for spaCy, and long sentences cut."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.text import (
    BLANK_LINE,
    LONGEST,
    LONGEST_WORD,
    PARAGRAPH_BREAK,
    encodable,
    paragraphs,
    pieces_of,
    text_pieces,
)


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
