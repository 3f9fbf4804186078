"""Coreference columns -> spans."""

from __future__ import annotations

import pytest

from disco2.annotation.coreference import CoreferenceDocument, parse_coreference
from disco2.data import ReadIssues
from disco2.errors import LayerError
from tests.growth import LINEAR, growth


def read(cells: list[str], *, issues: ReadIssues | None = None) -> tuple[tuple[int, int, str], ...]:
    lines = [f"{index}\tw{index}\t{cell}" for index, cell in enumerate(cells)]
    issues = ReadIssues() if issues is None else issues
    (document,) = parse_coreference("\n".join(["# begin document made_up", *lines]), where="f", issues=issues)
    assert document.words == tuple(f"w{index}" for index in range(len(cells)))
    return document.spans


@pytest.mark.parametrize(
    ("cells", "spans"),
    [
        (["_", "(12)", "_"], [(1, 2, "12")]),
        (["(12", "_", "12)"], [(0, 3, "12")]),
        (["(1|(2)", "1)"], [(0, 2, "1"), (0, 1, "2")]),
        (["(1(2)", "1)"], [(0, 2, "1"), (0, 1, "2")]),
        (["(2", "(3", "3)2)"], [(0, 3, "2"), (1, 3, "3")]),
        (["(12)(12", "12)"], [(0, 2, "12"), (0, 1, "12")]),
        (["(12", "12)(12", "12)"], [(0, 2, "12"), (1, 3, "12")]),
        (["(12", "(12|12)", "12)"], [(0, 2, "12"), (1, 3, "12")]),
        (["(12", "(12", "12)", "12)"], [(0, 4, "12"), (1, 3, "12")]),
        (["(1|(2)|1)"], [(0, 1, "2"), (0, 1, "1")]),
        (["(5)(5)"], [(0, 1, "5")]),
        (["(event-1", "_", "(place-3)event-1)"], [(0, 3, "1"), (2, 3, "3")]),
        (["(person-6-Ada_Jones", "person-6-Ada_Jones)"], [(0, 2, "6")]),
        (["(abstract-1", "(object-2", "abstract-1)object-2)"], [(0, 3, "1"), (1, 3, "2")]),
        (["(place-9-Old_%28town%29)", "(time-10-1990-91)"], [(0, 1, "9"), (1, 2, "10")]),
    ],
)
def test_cells(cells: list[str], spans: list[tuple[int, int, str]]) -> None:
    issues = ReadIssues()
    assert sorted(read(cells, issues=issues)) == sorted(spans)
    assert not issues.findings


def test_spans_come_in_text_order_the_outer_one_first() -> None:
    assert read(["(2)(1", "(3)", "1)"]) == ((0, 3, "1"), (0, 1, "2"), (1, 2, "3"))


def test_lone_brackets_are_reported_and_the_rest_is_read() -> None:
    issues = ReadIssues()
    assert read(["(1", "(2", "3)", "2)", "()", "(4)"], issues=issues) == ((1, 4, "2"), (5, 6, "4"))
    assert issues.counts() == {
        "coreference bracket never closed": 1,
        "coreference bracket never opened": 1,
        "odd coreference bracket": 2,
    }
    places = {finding.kind: finding.where for finding in issues.findings}
    assert places["coreference bracket never closed"] == "f:2"
    assert places["coreference bracket never opened"] == "f:4"


CONLL_2012 = """#begin document (nw/wsj/00/wsj_0001); part 000
nw/wsj/00/wsj_0001   0   0   Ann      NNP   (TOP(S*   -   -   -   -   *   (0)
nw/wsj/00/wsj_0001   0   1   sings    VBZ   *))       -   -   -   -   *   -

#end document
#begin document (nw/wsj/00/wsj_0001); part 001
nw/wsj/00/wsj_0001   1   0   Bob      NNP   (TOP(S*   -   -   -   -   *   (0
nw/wsj/00/wsj_0001   1   1   sleeps   VBZ   *))       -   -   -   -   *   0)

#end document
#begin document (nw/wsj/00/wsj_0002); part 000
nw/wsj/00/wsj_0002   0   0   Rain     NN    (TOP(S*   -   -   -   -   *   (7)
#end document
"""


@pytest.mark.parametrize("text", [CONLL_2012, CONLL_2012.replace("\n", "\r\n")])
def test_parts_are_joined_and_their_chains_kept_apart(text: str) -> None:
    assert parse_coreference(text, where="f", issues=ReadIssues()) == [
        CoreferenceDocument(
            "nw/wsj/00/wsj_0001", ("Ann", "sings", "Bob", "sleeps"), ((0, 1, "000.0"), (2, 4, "001.0"))
        ),
        CoreferenceDocument("nw/wsj/00/wsj_0002", ("Rain",), ((0, 1, "000.7"),)),
    ]


def test_a_bracket_does_not_reach_into_the_next_part() -> None:
    issues = ReadIssues()
    text = CONLL_2012.replace("(0)", "(0").replace("(0\n", "(0\n", 1)
    first, _ = parse_coreference(text, where="f", issues=issues)
    assert first.spans == ((2, 4, "001.0"),)
    assert [finding.where for finding in issues.findings] == ["f:2"]


def test_a_header_without_a_name_and_no_header_at_all() -> None:
    for text in ("# begin document \n0\tRain\t(1)", "0\tRain\t(1)"):
        assert parse_coreference(text, where="f", issues=ReadIssues()) == [
            CoreferenceDocument("", ("Rain",), ((0, 1, "1"),))
        ]
    assert parse_coreference("", where="f", issues=ReadIssues()) == []


@pytest.mark.parametrize("line", ["0\tRain", "Rain", "a b c d"])
def test_too_few_columns(line: str) -> None:
    with pytest.raises(LayerError, match="columns") as caught:
        parse_coreference(f"# begin document x\n{line}", where="f", issues=ReadIssues())
    assert caught.value.where == "f:2"


def test_a_sharp_sign_is_a_word() -> None:
    (document,) = parse_coreference("# begin document x\n0\t#\t_\n1\tgo\t(1)", where="f", issues=ReadIssues())
    assert document.words == ("#", "go")


def test_many_brackets_in_a_cell_take_linear_time_and_room() -> None:
    def read_cell(units: int) -> ReadIssues:
        issues = ReadIssues()
        opening = "|".join(f"({chain}" for chain in range(units))
        closing = "|".join(f"{chain})" for chain in reversed(range(units)))
        assert len(read([f"{opening}|{closing}"], issues=issues)) == units
        read(["(" * units], issues=issues)
        return issues

    assert growth(read_cell, 500) < LINEAR
    assert max(len(finding.detail) for finding in read_cell(1_000).findings) < 100


def test_a_part_is_not_written_into_every_chain_at_any_length() -> None:
    text = f"#begin document (a); part {'0' * 5_000}\n0\tRain\t(1)"
    (document,) = parse_coreference(text, where="f", issues=ReadIssues())
    assert document.spans == ((0, 1, "1"),)
