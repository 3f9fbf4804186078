"""Words as numbers."""

from __future__ import annotations

import numpy as np
import pytest

from disco2.annotation.english.constituents.words import (
    CLOSING,
    OPENING,
    RESERVED,
    UNKNOWN,
    build_lexicon,
    pieces,
    shape,
)
from disco2.vectors import WordVectors

VECTORS = WordVectors(("the", "cat"), np.eye(2, dtype=np.float32))


@pytest.mark.parametrize(
    ("word", "expected"),
    [("Cat", "=Xxx"), ("McDonald's", "=XxXxx'x"), ("1999", "=dd"), ("U.S.", "=X.X."), ("", "=")],
)
def test_shapes(word: str, expected: str) -> None:
    assert shape(word) == expected


def test_pieces_are_prefixes_suffixes_and_shape() -> None:
    assert pieces("Cat") == ["c-", "ca-", "cat-", "-t", "-at", "-cat", "-cat", "=Xxx"]


def test_numbers_have_edges_and_unknowns() -> None:
    lexicon = build_lexicon(
        ["The", "the", "cat"], ["DT", "DT", "NN"], vectors=VECTORS, word_count=2, piece_count=1
    )
    assert lexicon.words == ("the",)
    numbers = lexicon.numbers(["The", "cat", "zygote"], ["DT", "NN", "XYZ"])
    assert numbers.vectors.tolist() == [2, 0, 1, 2, 2]
    assert numbers.words.tolist() == [OPENING, RESERVED, UNKNOWN, UNKNOWN, CLOSING]
    assert numbers.tags.tolist() == [OPENING, RESERVED, RESERVED + 1, UNKNOWN, CLOSING]
    assert numbers.pieces.shape == (5, 8)
    assert not numbers.pieces[[0, -1]].any()
    assert numbers.pieces[1].all()
