"""Porter's stems, and what is no word."""

from __future__ import annotations

import pytest

from disco2.features.word_pairs import stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Relational", "relat"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("agreed", "agre"),
        ("sky", "sky"),
        ("sayings", "sai"),
        ("controlling", "control"),
        ("adoption", "adopt"),
        ("", ""),
        ("...", "..."),
        ("Über", "über"),
        ("\ud800s", "\ud800s"),
    ],
)
def test_known_stems(word: str, expected: str) -> None:
    assert stem(word) == expected
