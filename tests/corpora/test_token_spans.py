"""Character spans -> tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation import document_from_words
from disco2.corpora.token_spans import TokenSpans
from disco2.records import Argument

DOCUMENT = document_from_words("d", [["Rain", "falls", "now", "."]], "Rain falls now.")
SPANS = TokenSpans.of(DOCUMENT)


@pytest.mark.parametrize(
    ("spans", "tokens", "exact"),
    [
        ([(0, 4)], (0,), True),
        ([(0, 10)], (0, 1), True),
        ([(0, 11)], (0, 1), True),
        ([(4, 10)], (1,), True),
        ([(11, 14)], (2,), True),
        ([(14, 15)], (3,), True),
        ([(0, 4), (11, 14)], (0, 2), True),
        ([(11, 14), (0, 4)], (0, 2), True),
        ([(0, 5), (0, 4)], (0,), True),
        ([(1, 4)], (0,), False),
        ([(0, 6)], (0, 1), False),
        ([(4, 5)], (), False),
        ([(11, 99)], (2, 3), False),
        ([(50, 60)], (), False),
        ([], (), True),
    ],
)
def test_tokens_under_spans(spans: list[tuple[int, int]], tokens: tuple[int, ...], exact: bool) -> None:
    under = SPANS.under(spans)
    assert (under.tokens, under.exact) == (tokens, exact)


def test_an_argument_joins_its_pieces() -> None:
    assert SPANS.argument([(0, 4), (11, 15)]) == (Argument((0, 2, 3), "Rain now."), True)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted).map(tuple), max_size=3))
def test_against_the_obvious_way(spans: list[tuple[int, int]]) -> None:
    shared = {
        index
        for index, token in enumerate(DOCUMENT.tokens)
        for start, end in spans
        if set(range(token.start, token.end)) & set(range(start, end))
    }
    assert SPANS.under(span for span in spans if span[0] < span[1]).tokens == tuple(sorted(shared))
