"""The shipped parser, loaded once."""

from __future__ import annotations

import pytest

from disco2.annotation.english.constituents.parser import SpanParser


@pytest.fixture(scope="session")
def shipped_parser() -> SpanParser:
    return SpanParser.load()
