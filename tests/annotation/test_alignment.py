"""Words matched with a text, or with other words, by characters."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.alignment import align_to_text, align_tokens, fold_word
from disco2.errors import LayerError
from tests.growth import LINEAR, growth


def slices(words: list[str], text: str) -> list[str]:
    return [text[start:end] for start, end in align_to_text(words, text)]


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (["Rain", "falls", "."], "  Rain\n\nfalls.", ["Rain", "falls", "."]),
        (["``", "Go", "''"], '"Go"', ['"', "Go", '"']),
        (["``", "Go", "''"], "``Go''", ["``", "Go", "''"]),
        (["``", "Go", "''"], "“Go”", ["“", "Go", "”"]),
        (['"', "Go", '"'], "''Go''", ["''", "Go", "''"]),
        (["`", "Go", "'", "n't"], "\u2018Go\u2019 n\u2019t", ["\u2018", "Go", "\u2019", "n\u2019t"]),
        (["(", "b", ")"], "-LRB-b-RRB-", ["-LRB-", "b", "-RRB-"]),
        (["-LRB-", "b", "-RRB-"], "(b)", ["(", "b", ")"]),
        (["1/2", "and", "1\\/2"], "1\\/2 and 1/2", ["1\\/2", "and", "1/2"]),
        (["Well", "...", "no"], "Well . . . no", ["Well", ". . .", "no"]),
        (["Well", "...", "--", "no"], "Well… — no", ["Well", "…", "—", "no"]),
        (["Acme", "Corp.", "."], "Acme Corp.", ["Acme", "Corp.", "."]),
        (["U.S.", ".", "He"], "U.S. He", ["U.S.", ".", "He"]),
        (["Rain"], ".START \n\nRain", ["Rain"]),
        (["coop"], "co\u00adop", ["co\u00adop"]),
        ([], " \n", []),
    ],
)
def test_words_are_found_in_the_text(words: list[str], text: str, found: list[str]) -> None:
    assert slices(words, text) == found


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["The", "rain", "rises", "here"], r"Word 3, 'rises', .* offset 9: 'falls here'"),
        (["The", "rain"], r"The end of the words does not fit the text at offset 9: 'falls here'"),
        (["The", "rain", "falls", "here", "."], r"Word 5, '\.'"),
    ],
)
def test_words_that_do_not_fit_the_text_are_an_error(words: list[str], message: str) -> None:
    with pytest.raises(LayerError, match=message) as caught:
        align_to_text(words, "The rain falls here", where="made-up:1")
    assert caught.value.where == "made-up:1"


def test_tokens_of_two_tokenisations() -> None:
    coarse = ["A", "well-known", "``", "goat", "''", "can't", "sing", "."]
    fine = ["A", "well", "-", "known", '"', "goat", '"', "ca", "n't", "sing", "."]
    assert align_tokens(coarse, fine) == [
        (0, 1), (1, 2), (1, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (5, 6), (6, 7), (7, 8),
    ]  # fmt: skip
    assert align_tokens(fine, coarse) == [
        (0, 1), (1, 4), (4, 5), (5, 6), (6, 7), (7, 9), (9, 10), (10, 11),
    ]  # fmt: skip


def test_a_full_stop_that_one_side_lacks() -> None:
    long = ["Acme", "Corp.", ".", "Its", "shares", "rose", "again", "."]
    short = ["Acme", "Corp.", "Its", "shares", "rose", "again", "."]
    assert align_tokens(long, short) == [(0, 1), (1, 2), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8)]
    assert align_tokens(short, long) == [(0, 1), (1, 2), None, (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)]


def test_words_that_one_side_lacks_do_not_disturb_the_rest() -> None:
    a = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    b = [*a[:3], "drei", "vier", *a[3:]]
    spans = align_tokens(a, b)
    assert spans[:3] == [(0, 1), (1, 2), (2, 3)]
    assert spans[3:5] == [None, None]
    assert spans[5:] == [(index, index + 1) for index in range(3, 10)]


WORDS = st.lists(st.text(alphabet="ab'\"`-.()“\u2019…é🙂", min_size=1, max_size=5), max_size=15)


@given(WORDS, st.data())
def test_words_come_back_from_the_text_they_make(words: list[str], data: st.DataObject) -> None:
    text, expected = "", []
    for word in words:
        text += data.draw(st.sampled_from([" ", "\n", "  "]))
        expected.append((len(text), len(text) + len(word)))
        text += word
    assert align_to_text(words, text) == expected


@given(WORDS, st.data())
def test_any_two_cuts_of_one_text_align_by_its_characters(words: list[str], data: st.DataObject) -> None:
    """Against the obvious way: number the characters, and look which words hold the same ones."""
    characters = "".join(map(fold_word, words))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(characters)))) | {0, len(characters)})
    a = [characters[start:end] for start, end in pairwise(cuts)]
    owner_a = [index for index, word in enumerate(a) for _ in word]
    owner_b = [index for index, word in enumerate(words) for _ in fold_word(word)]
    for index, span in enumerate(align_tokens(a, words)):
        shared = sorted({a for a, b in zip(owner_a, owner_b, strict=True) if b == index})
        assert span == ((shared[0], shared[-1] + 1) if shared else None)


def test_alignment_takes_linear_time() -> None:
    def align(units: int) -> None:
        words = ["``", "well-known", "co-op", "''", "."] * units
        pieces = ['"', "well", "-", "known", "co", "-", "op", '"', "."] * units
        assert len(align_to_text(words, '"well-known co-op". ' * units)) == len(words)
        assert None not in align_tokens(words, pieces)

    assert growth(align, 1_000) < LINEAR
