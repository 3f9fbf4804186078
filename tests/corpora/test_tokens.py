"""Character spans -> tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.layers import document_from_words
from disco2.corpora.relations import MOST_TIMES, TokenSpans
from disco2.data import Argument
from disco2.errors import CorpusError
from tests.fuzzing.target import limits

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
        ([(2, 2)], (), False),
        ([(0, 4), (7, 7)], (0,), False),
        ([], (), True),
    ],
)
def test_tokens_under_spans(spans: list[tuple[int, int]], tokens: tuple[int, ...], exact: bool) -> None:
    under = SPANS.under(spans)
    assert (under.tokens, under.exact) == (tokens, exact)


def test_an_argument_joins_its_pieces() -> None:
    assert SPANS.argument([(0, 4), (11, 15)]) == (Argument((0, 2, 3), "Rain now."), True)


def test_overlapping_spans_are_one_piece_in_the_texts_order() -> None:
    assert SPANS.argument([(11, 15), (0, 3), (0, 4), (1, 4)])[0] == Argument((0, 2, 3), "Rain now.")
    assert SPANS.argument([(0, 4), (4, 10)])[0] == Argument((0, 1), "Rain  falls")


def test_a_span_said_a_hundred_thousand_times_is_no_more_than_the_span() -> None:
    document = document_from_words("d", [["word"] * 10_000], "word " * 10_000)
    with limits(0):
        argument, exact = TokenSpans.of(document).argument([(0, 49_999)] * 100_000)
    assert (len(argument.tokens), len(argument.text), exact) == (10_000, 49_999, True)


def test_a_text_repeated_beyond_measure_is_refused() -> None:
    document = document_from_words("long_one", [["word"] * 10_000], "word " * 10_000)
    spans = TokenSpans.of(document)
    for _ in range(MOST_TIMES):
        spans.argument([(0, 49_999)])
    with pytest.raises(CorpusError, match="long_one"):
        spans.argument([(0, 49_999)])


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted).map(tuple), max_size=3))
def test_against_the_obvious_way(spans: list[tuple[int, int]]) -> None:
    shared = {
        index
        for index, token in enumerate(DOCUMENT.tokens)
        for start, end in spans
        if set(range(token.start, token.end)) & set(range(start, end))
    }
    assert SPANS.under(span for span in spans if span[0] < span[1]).tokens == tuple(sorted(shared))
