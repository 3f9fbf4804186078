"""Paragraphs, pieces and rule-based tokens of plain text."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation import text as text_module
from disco2.annotation.text import (
    LONGEST,
    LONGEST_WORD,
    paragraphs,
    split_long_sentence,
    split_text,
    tokenise,
)
from tests.growth import LINEAR, growth


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


_BLANK = ["\n\x00\n", "\n\x0b\x7f \n", "\n\u200b\n", "\r\n\ufeff\r\n", "\u2028\u2028", "\u2029", "\n\u00ad\n"]
_NOT_BLANK = ["\n", "\r\n", "\u2028", "\x00", "\n \x00", "\x85", "\x0c"]


@pytest.mark.parametrize("between", [*_BLANK, *_NOT_BLANK])
def test_a_line_with_nothing_to_see_is_blank(between: str) -> None:
    assert len(paragraphs(f"One.{between}Two.")) == (2 if between in _BLANK else 1)


NASTY = st.text("ab. \n\r\t\x00\u200b\u00ad\u200f\u2028é\u0301😀\ud800")


def seen_slowly(character: str) -> str:
    """What the tokenizer sees of one character, before spaces are joined."""
    if character.isspace() or ord(character) < 32 or 127 <= ord(character) < 160 or character == "\u200b":
        return " "
    if character in "\u00ad\u200f":
        return ""
    return "\ufffd" if "\ud800" <= character <= "\udfff" else character


@given(NASTY, st.integers(1, 30))
def test_pieces_hold_what_is_to_be_seen_and_every_character_finds_back(text: str, longest: int) -> None:
    expected = "".join(map(seen_slowly, text)).split()
    pieces = split_text(text, longest=longest)
    assert "".join("".join(piece.text for piece in pieces).split()) == "".join(expected)
    behind = 0
    for piece in pieces:
        assert re.fullmatch(r"\S+(?: \S+)*", piece.text)
        assert len(piece.text) <= longest
        for index, character in enumerate(piece.text):
            start, end = piece.span(index, index + 1)
            assert behind <= start
            assert end == start + 1
            seen = seen_slowly(text[start])
            assert seen == character or (character == " " and not seen)
            behind = end


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("It is. So it is then", ["It is.", "So it is", "then"]),
        ("abcdefghijklmn", ["abcdefghij", "klmn"]),
        ("one two three four", ["one two", "three four"]),
    ],
)
def test_a_long_paragraph_is_cut_at_the_best_place(text: str, pieces: list[str]) -> None:
    assert [piece.text for piece in split_text(text, longest=10)] == pieces


def test_no_piece_is_longer_than_spacy_takes() -> None:
    text = "Ann sings. " * 20_000 + "x" * 1_100_000 + " y" * 100_000
    pieces = split_text(text)
    assert max(len(piece.text) for piece in pieces) <= LONGEST + LONGEST // LONGEST_WORD
    assert sum(len(piece.text.replace(" ", "")) for piece in pieces) == len(text.replace(" ", ""))


def test_an_overlong_word_is_parted() -> None:
    [piece] = split_text(f"\u200eab {'x' * 1000} cd")
    assert [len(word) for word in piece.text.split()] == [2, 400, 400, 200, 2]
    assert piece.span(3, 403) == (4, 404)
    assert piece.span(404, 804) == (404, 804)
    assert piece.span(805, 1005) == (804, 1004)
    assert piece.span(1006, 1008) == (1005, 1007)


@given(
    st.lists(st.sampled_from(["NN", "DT", ",", ".", ":", "CC"]), min_size=1, max_size=400),
    st.integers(1, 120),
    st.integers(0, 120),
)
def test_pieces_cover_the_sentence_and_are_short_enough(tags: list[str], longest: int, shortest: int) -> None:
    pieces = split_long_sentence(tags, longest=longest, shortest=shortest)
    assert pieces[0][0] == 0
    assert pieces[-1][1] == len(tags)
    assert all(end == start for (_, end), (start, _) in pairwise(pieces))
    assert all(0 < end - start <= longest for start, end in pieces)
    assert all(end - start >= min(shortest, longest) for start, end in pieces[:-1])


@pytest.mark.parametrize(
    ("tags", "longest", "shortest", "cut"),
    [
        (["NN"] * 45 + ["."] + ["NN"] * 20 + [","] + ["NN"] * 60, 100, 40, 46),  # a full stop, not a comma
        (["NN"] * 70 + ["CC"] + ["NN"] * 60, 100, 40, 70),  # before a conjunction, without punctuation
        (["NN"] * 3 + ["."] + ["NN"] * 10, 10, 5, 10),  # not too short
        (["NN"] * 3 + ["."] + ["NN"] * 10, 10, 4, 4),
    ],
)
def test_a_cut_is_at_the_best_place(tags: list[str], longest: int, shortest: int, cut: int) -> None:
    pieces = split_long_sentence(tags, longest=longest, shortest=shortest)
    assert pieces == [(0, cut), (cut, len(tags))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rain falls. Snow melts! Why? Well...", ["Rain falls .", "Snow melts !", "Why ?", "Well ..."]),
        ("Dr. Lee came. Mrs. Oh left.", ["Dr. Lee came .", "Mrs. Oh left ."]),
        ("He works for Acme Corp. The pay is good.", ["He works for Acme Corp.", "The pay is good ."]),
        ("He met J. R. Lee there.", ["He met J. R. Lee there ."]),
        ('"Go!" she said. "Now." He went.', ['" Go ! " she said .', '" Now . "', "He went ."]),
        ("(Rain fell.) It was cold.", ["( Rain fell . )", "It was cold ."]),
        ("It cost 3.5 million. 7 came.", ["It cost 3.5 million .", "7 came ."]),
        ("A heading\n\nA line\nthat goes on", ["A heading", "A line that goes on"]),
        ("A heading\r\n\r\nA line", ["A heading", "A line"]),
        ("1. Wash it. Dry it.\n2. Go.", ["1. Wash it .", "Dry it .", "2 . Go ."]),
        ("no capitals here. none at all.", ["no capitals here .", "none at all ."]),
        ("The approx. value. It fell.", ["The approx. value .", "It fell ."]),
        ("After World War I. Then he left", ["After World War I.", "Then he left"]),
        ("I can't go\u2026 It's no. 5.", ["I ca n't go \u2026", "It 's no. 5 ."]),
        ("a\x00b\u200bc co\u00adop \ud800", ["a b c co\u00adop \ud800"]),
        ("", []),
        (" \n\x00 ", []),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert [" ".join(token.text for token in sentence) for sentence in tokenise(text)] == expected


ANYTHING = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from(" \n.'\u2019\"-!?@:/wtaTns0\x00\u200d🙂")),
    max_size=80,
)


@given(ANYTHING)
def test_tokens_stand_where_they_say_and_nothing_visible_is_lost(text: str) -> None:
    tokens = [token for sentence in tokenise(text) for token in sentence]
    behind = 0
    for token in tokens:
        assert token.text == text[token.start : token.end]
        assert token.text
        between = text[behind : token.start]
        assert token.start >= behind
        assert not any(character.isalnum() for character in between)
        assert not any(character in ".,!?'\"@" for character in between)
        behind = token.end
    assert not any(character.isalnum() for character in text[behind:])
    assert all(tokenise(text))


def test_the_vocabulary_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "MOST_WORDS", 0)
    first = text_module._tokenizer()
    assert tokenise("Rain falls.") == tokenise("Rain falls.")
    assert text_module._tokenizer() is not first


@pytest.mark.parametrize("piece", ["a", "'s", ".", "a@", "a-", "www.", "1,", " ", "\n", "http://", "no. "])
def test_long_runs_take_linear_time(piece: str) -> None:
    assert growth(lambda units: tokenise(piece * units), 6_000 // len(piece)) < LINEAR
