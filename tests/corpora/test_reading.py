"""Files that somebody else wrote, spans and arguments, relations that occur twice."""

from __future__ import annotations

import gc
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.corpora.reading import (
    MOST_TIMES,
    BrokenJsonError,
    TokenSpans,
    drop_doubles,
    gc_disabled,
    parse_json,
    read_senses,
    read_text,
    shorten,
    split_lines,
)
from disco2.data import Argument, ReadIssues, Relation, RelationKind
from disco2.data.senses import inventory
from disco2.errors import CorpusError
from tests.documents import document_from_words
from tests.fuzzing.target import limits


def test_latin1_is_read_and_reported_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("Die Kuh\nheißt\r\nKäthe\r".encode("latin-1"))
    issues = ReadIssues()
    assert read_text(file, issues=issues) == "Die Kuh\nheißt\r\nKäthe\r"
    assert [(finding.kind, finding.where) for finding in issues.findings] == [("not UTF-8", f"{file}:2")]


@given(st.lists(st.text(st.characters(exclude_characters="\r\n\ufeff", exclude_categories=("Cs",)))))
def test_lines_come_back_whatever_ends_them(lines: list[str]) -> None:
    for end in ("\n", "\r\n", "\r"):
        assert split_lines("\ufeff" + "".join(line + end for line in lines)) == lines
    assert split_lines("a\nb") == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_told_by_its_mark(tmp_path: Path, encoding: str) -> None:
    file, issues = tmp_path / "a.txt", ReadIssues()
    file.write_bytes("\ufeffDie Kuh\nheißt Käthe".encode(encoding))
    assert split_lines(read_text(file, issues=issues)) == ["Die Kuh", "heißt Käthe"]
    assert not issues.findings
    file.write_bytes("\ufeffa".encode(encoding)[:-1])
    read_text(file, issues=issues)
    assert [finding.kind for finding in issues.findings] == [f"not {encoding.upper()}"]


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('{"a": 1\n"b": 2}', "Expecting ',' delimiter", 2),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply", 1),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply", 1),
        ("9" * 5000, "too many digits", 1),
        ('{"a": 1, "b": 2, "a": 3}', "key 'a' occurs twice", 1),
        ('[{"b": {"": 1, "": 1}}]', "key '' occurs twice", 1),
        ('["fine",\n"\\ud800"]', "unpaired surrogate", 1),
        ('"\\udc00\\ud83d"', "unpaired surrogate", 1),
        ('"\\ud83d\\u0041"', "unpaired surrogate", 1),
        ('{"\\uDFFF": 1}', "unpaired surrogate", 1),
    ],
)
def test_what_is_wrong_is_said(text: str, reason: str, line: int) -> None:
    with pytest.raises(BrokenJsonError, match=reason) as caught:
        parse_json(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "value", ["\U0001f600", "\\ud800", "\\\\ud800", "\\\U0001f600\\", {"\u00e9": ["\ud7ff"]}]
)
def test_whole_characters_and_backslashes_are_read(value: object) -> None:
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled: bool) -> None:
    was_enabled = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with suppress(ValueError), gc_disabled(), gc_disabled():
            assert not gc.isenabled()
            raise ValueError
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


def test_values_in_messages_are_short_however_deep_they_are() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert len(shorten(deep)) < 100
    assert len(shorten({"x" * 1000: "y" * 1000})) < 200
    assert shorten("plain") == "'plain'"


DOCUMENT = document_from_words("d", [["Rain", "falls", "now", "."]], "Rain falls now.")
SPANS = TokenSpans(DOCUMENT)


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
    spans = TokenSpans(document)
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
