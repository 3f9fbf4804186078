"""The 34 fields of PDTB 3."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.corpora.pdtb3 import FIELDS, parse_pdtb3_line, parse_spans, read_pdtb3_lines
from disco2.errors import CorpusError
from disco2.records import Dirt


def line(**fields: str) -> str:
    row = [""] * FIELDS
    for name, value in fields.items():
        row[int(name.removeprefix("f"))] = value
    return "|".join(row)


GOOD = line(
    f0="Implicit", f7="so", f8="Contingency.Cause.Result ", f9="_", f10="then", f11="Temporal.Synchronous",
    f13="0..3", f14="4..9;12..20", f20="21..30", f31="21", f32="made up", f33="LINK1",
)  # fmt: skip


def test_fields_find_their_place() -> None:
    relation = parse_pdtb3_line(GOOD.split("|"))
    assert relation.kind == "Implicit"
    assert relation.connective_spans == ()
    assert relation.connectives == ("so", "then")
    assert relation.senses == ("Contingency.Cause.Result", "Temporal.Synchronous")
    assert relation.arg1_spans == ((4, 9), (12, 20))
    assert relation.arg2_spans == ((21, 30),)
    assert (relation.sup1_spans, relation.sup2_spans) == (((0, 3),), ())
    assert relation.provenance == "made up"


@pytest.mark.parametrize(
    "field", ["3", "3..", "..3", "3..x", "9..3", "3..5;", "-1..4", "1...4", "9" * 5000 + "..1"]
)
def test_spans_that_are_none(field: str) -> None:
    with pytest.raises(CorpusError):
        parse_spans(field)


@given(st.text(alphabet="0123456789.;- x²", max_size=20))
def test_any_field_is_spans_or_refused(field: str) -> None:
    try:
        spans = parse_spans(field)
    except CorpusError:
        return
    assert all(0 <= start <= end for start, end in spans)


def test_bad_lines_are_reported_and_skipped() -> None:
    lines = [
        "\ufeff" + GOOD,
        "",
        "Implicit|too|few",
        GOOD + "|",
        line(f0="Explicit", f14="7"),
        GOOD,
        GOOD[:40],
    ]
    for end in ("\n", "\r\n"):
        dirt = Dirt()
        read = list(read_pdtb3_lines(end.join(lines), where="gold/00/made_up", dirt=dirt))
        assert [number for number, _ in read] == [1, 6]
        assert read[0][1] == read[1][1] == parse_pdtb3_line(GOOD.split("|"))
        assert [finding.where for finding in dirt.findings] == [f"gold/00/made_up:{n}" for n in (3, 4, 5, 7)]
        assert "3 fields" in dirt.findings[0].detail
