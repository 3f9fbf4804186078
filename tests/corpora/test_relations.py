"""Spans -> tokens and arguments; relations that occur twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.corpora.reading import MOST_TIMES, TokenSpans, drop_doubles, read_senses
from disco2.data import Argument, ReadIssues, Relation, RelationKind
from disco2.data.senses import inventory
from disco2.errors import CorpusError
from tests.documents import document_from_words
from tests.fuzzing.target import limits

DOCUMENT = document_from_words("d", [["Rain", "falls", "now", "."]], "Rain falls now.")
SPANS = TokenSpans.of(DOCUMENT)


@pytest.mark.parametrize(
    ("spans", "tokens", "exact"),
    [
        ([(0, 4)], (0,), True),
        ([(0, 11)], (0, 1), True),
        ([(4, 10)], (1,), True),
        ([(14, 15)], (3,), True),
        ([(11, 14), (0, 4)], (0, 2), True),
        ([(0, 5), (0, 4)], (0,), True),
        ([(1, 4)], (0,), False),
        ([(0, 6)], (0, 1), False),
        ([(4, 5)], (), False),
        ([(0, 4), (7, 7)], (0,), False),
        ([], (), True),
    ],
)
def test_tokens_under_spans(spans: list[tuple[int, int]], tokens: tuple[int, ...], exact: bool) -> None:
    assert SPANS.under(spans) == (tokens, exact)


@pytest.mark.parametrize("span", [(11, 16), (50, 60)])
def test_span_beyond_the_text_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(CorpusError, match="beyond the text of 15 characters"):
        SPANS.argument([(0, 4), span])


@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)).map(sorted).map(tuple), max_size=3))
def test_tokens_under_spans_match_slow_search(spans: list[tuple[int, int]]) -> None:
    shared = {
        index
        for index, token in enumerate(DOCUMENT.tokens)
        for start, end in spans
        if set(range(token.start, token.end)) & set(range(start, end))
    }
    assert SPANS.under(span for span in spans if span[0] < span[1])[0] == tuple(sorted(shared))


def test_argument_joins_its_pieces_in_text_order() -> None:
    assert SPANS.argument([(0, 4), (11, 15)]) == (Argument((0, 2, 3), "Rain now."), True)
    assert SPANS.argument([(11, 15), (0, 3), (0, 4), (1, 4)])[0] == Argument((0, 2, 3), "Rain now.")
    assert SPANS.argument([(0, 4), (4, 10)])[0] == Argument((0, 1), "Rain  falls")


def test_repeated_spans_and_arguments_are_limited() -> None:
    document = document_from_words("long_one", [["word"] * 10_000], "word " * 10_000)
    spans = TokenSpans.of(document)
    with limits(0):
        argument, exact = spans.argument([(0, 49_999)] * 100_000)
    assert (len(argument.tokens), len(argument.text), exact) == (10_000, 49_999, True)
    for _ in range(MOST_TIMES - 1):
        spans.argument([(0, 49_999)])
    with pytest.raises(CorpusError, match="long_one"):
        spans.argument([(0, 49_999)])


def test_doubled_relations_are_reported_and_left_out() -> None:
    first = Relation(
        id="d:1",
        document="d",
        kind=RelationKind.IMPLICIT,
        arg1=Argument((0,), "Rain"),
        arg2=Argument((1,), "falls"),
        senses=("Expansion.Conjunction",),
        where="gold:1",
    )
    other_sense = replace(first, id="d:3", senses=("Comparison.Contrast",), where="gold:3")
    issues = ReadIssues()
    relations = [first, replace(first, id="d:2", where="gold:2"), other_sense]
    assert list(drop_doubles(relations, issues=issues)) == [first, other_sense]
    (finding,) = issues.findings
    assert list(drop_doubles(relations, issues=ReadIssues(), keep=True)) == relations
    assert (finding.kind, finding.where) == ("relation twice", "gold:2")
    assert "gold:1" in finding.detail


def test_long_senses_are_shown_in_part() -> None:
    issues = ReadIssues()
    senses = read_senses(["x" * 5_000, "Comparison.Contrast"], inventory("pdtb2"), where="f:1", issues=issues)
    assert senses == ("Comparison.Contrast",)
    assert [len(finding.detail) < 200 for finding in issues.findings] == [True]


def test_line_breaks_in_names_do_not_forge_findings() -> None:
    issues = ReadIssues()
    issues.add("unknown sense", "a\nfile:1", "'Bad\r\nsense\u2028' is no sense.")
    assert (issues.findings[0].where, issues.findings[0].detail) == ("a?file:1", "'Bad??sense?' is no sense.")
