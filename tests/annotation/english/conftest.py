"""The shipped models, loaded once."""

from __future__ import annotations

import pytest

from disco2.annotation.english.annotators import Component, SpacySyntax, english_annotators
from disco2.annotation.english.constituents import SpanParser
from disco2.annotation.english.coreference import MentionRanker


@pytest.fixture(scope="session")
def components() -> list[Component]:
    return english_annotators()


@pytest.fixture(scope="session")
def syntax(components: list[Component]) -> SpacySyntax:
    model = components[0].model
    assert isinstance(model, SpacySyntax)
    return model


@pytest.fixture(scope="session")
def shipped_parser(components: list[Component]) -> SpanParser:
    model = components[1].model
    assert isinstance(model, SpanParser)
    return model


@pytest.fixture(scope="session")
def ranker(components: list[Component]) -> MentionRanker:
    model = components[2].model
    assert isinstance(model, MentionRanker)
    return model
