"""The annotator for the patterns, loaded once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from disco2.annotation.annotator import Annotator
from disco2.corpora.catalogue import HeldOutSentences
from disco2.mining.clauses import MinedPair
from disco2.mining.run import Miner, load_syntax

Mine = Callable[..., list[MinedPair]]


@pytest.fixture(scope="session")
def syntax() -> Annotator:
    return load_syntax()


@pytest.fixture(scope="session")
def mine(syntax: Annotator) -> Mine:
    """The pairs of a paragraph, less those of a text; two words are enough for an argument."""

    def pairs(
        paragraph: str, *, without: str = "", place: str = "", least: int = 2, most: int = 22
    ) -> list[MinedPair]:
        held_out = HeldOutSentences()
        held_out.add_text(without)
        found = Miner(syntax, held_out, most, least).pairs([paragraph])
        return [pair for pair in found if place in ("", pair.place)]

    return pairs
