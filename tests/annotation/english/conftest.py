"""The shipped models, loaded once."""

from __future__ import annotations

import pytest

from disco2.annotation.english.constituents import SpanParser
from disco2.annotation.english.syntax import SpacySyntax


@pytest.fixture(scope="session")
def syntax() -> SpacySyntax:
    """The shipped model for tokens, tags and dependencies."""
    return SpacySyntax.load()


@pytest.fixture(scope="session")
def shipped_parser() -> SpanParser:
    return SpanParser.load()
