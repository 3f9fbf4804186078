"""Plain text -> sentences of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.text import tokenise
from tests.growth import LINEAR, growth

# Each is one picture made of several characters.
FAMILY, THUMB, FLAG = "\U0001f468\u200d\U0001f469", "\U0001f44d\U0001f3fd", "\U0001f1eb\U0001f1f7"


def words(text: str, *, split_hyphens: bool = True) -> list[str]:
    return [token.text for sentence in tokenise(text, split_hyphens=split_hyphens) for token in sentence]


def sentences(text: str) -> list[str]:
    return [" ".join(token.text for token in sentence) for sentence in tokenise(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't, can't and won't.", "I do n't , ca n't and wo n't ."),
        ("Ann's goats' horns; it's she'd've", "Ann 's goats ' horns ; it 's she 'd 've"),
        ("We\u2019re sure he\u2019ll go", "We \u2019re sure he \u2019ll go"),
        ("I cannot say; gonna go", "I can not say ; gon na go"),
        ("Dr. Lee met Mr. Oh in the U.S. at 5 p.m. today", "Dr. Lee met Mr. Oh in the U.S. at 5 p.m. today"),
        ("1,000.5 goats cost $3.50 (50%) at 3:30", "1,000.5 goats cost $ 3.50 ( 50 % ) at 3:30"),
        ("the 1990s, the 19th, 1/2 and '71", "the 1990s , the 19th , 1/2 and '71"),
        ("See https://example.org/a?b=1, or www.a.org.", "See https://example.org/a?b=1 , or www.a.org ."),
        ("Write to ann.lee@example.org!", "Write to ann.lee@example.org !"),
        ("R&D at example.com/x.", "R&D at example.com/x ."),
        ("a well-known non-profit", "a well - known non-profit"),
        ("over-the-counter, non-state-run", "over - the - counter , non - state - run"),
        ("Wait... what?! No -- yes\u2014no", "Wait ... what ?! No -- yes \u2014 no"),
        ("``Yes,'' he said.", "`` Yes , '' he said ."),
        ('"Yes," [he] said.', '" Yes , " [ he ] said .'),
        ("No. 5 and no.", "No. 5 and no ."),
        ("ca n't Ann 's", "ca n't Ann 's"),
        ("cafe\u0301 na\u00efve", "cafe\u0301 na\u00efve"),
        (f"ok {FAMILY}{THUMB} {FLAG}!", f"ok {FAMILY} {THUMB} {FLAG} !"),
        ("#goats are #1", "#goats are # 1"),
        ("a\x00b\u200bc", "a b c"),
    ],
)  # fmt: skip
def test_words(text: str, expected: str) -> None:
    assert words(text) == expected.split()


def test_hyphens_may_stay_in_their_words() -> None:
    assert words("a well-known co-op -- yes", split_hyphens=False) == [
        "a",
        "well-known",
        "co-op",
        "--",
        "yes",
    ]


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
        ("1. Wash it. Dry it.\n2. Go.", ["1. Wash it .", "Dry it .", "2. Go ."]),
        ("no capitals here. none at all.", ["no capitals here .", "none at all ."]),
        ("The approx. value. It fell.", ["The approx. value .", "It fell ."]),
        ("", []),
        (" \n\x00 ", []),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


ANYTHING = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from(" \n.'\u2019\"-!?@:/wtaTns0\x00\u200d🙂")),
    max_size=80,
)


@given(ANYTHING, st.booleans())
def test_tokens_stand_where_they_say_and_nothing_visible_is_lost(text: str, split_hyphens: bool) -> None:
    tokens = [token for sentence in tokenise(text, split_hyphens=split_hyphens) for token in sentence]
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
    assert all(tokenise(text, split_hyphens=split_hyphens))


@pytest.mark.parametrize(
    "piece",
    ["a", "'", "'s", ".", "a.", "a@", "-", "a-", "www.", "1,", " ", "\n", "!", "http://", "&a", "no. "],
)
def test_long_runs_take_linear_time(piece: str) -> None:
    assert growth(lambda units: tokenise(piece * units), 6_000 // len(piece)) < LINEAR
