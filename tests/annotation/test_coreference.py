"""Readers of coreference files: CoNLL columns and OntoNotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    text = CONLL_2012.replace("(0)", "(0")
    first, _ = parse_coreference(text, where="f", issues=issues)
    assert first.spans == ((2, 4, "001.0"),)
    assert [finding.where for finding in issues.findings] == ["f:2"]


@pytest.mark.parametrize("header", ["# begin document \n", ""])
def test_a_header_without_a_name_and_no_header_at_all(header: str) -> None:
    found = parse_coreference(f"{header}0\tRain\t(1)", where="f", issues=ReadIssues())
    assert found == [CoreferenceDocument("", ("Rain",), ((0, 1, "1"),))]
    assert parse_coreference("", where="f", issues=ReadIssues()) == []


@pytest.mark.parametrize("line", ["0\tRain", "Rain", "a b c d"])
def test_too_few_columns(line: str) -> None:
    with pytest.raises(LayerError, match="columns") as caught:
        parse_coreference(f"# begin document x\n{line}", where="f", issues=ReadIssues())
    assert caught.value.where == "f:2"


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


FILE = """\
<DOC DOCNO="nw/wsj/99/wsj_9901@9901@wsj@nw@en@on">
<TEXT PARTNO="000">
<COREF ID="3" TYPE="IDENT">The ferry of <COREF ID="4" TYPE="IDENT" SUBTYPE="X">Ulla</COREF></COREF> \
was told *-1 0 *T*-2 .
<COREF ID="3" TYPE="IDENT">It</COREF> carried <COREF ID="9" TYPE="APPOS" SUBTYPE="HEAD">Bram</COREF> , \
<COREF ID="9" TYPE="APPOS" SUBTYPE="ATTRIB">the baker -LRB- once -RRB-</COREF> -AMP- more .
</TEXT>
<TEXT PARTNO="001">
<COREF ID="3" TYPE="IDENT">*PRO*-1</COREF> Nobody saw \
<COREF ID="3" TYPE="IDENT" E_OFF="5">Mirem-Tolva *</COREF> .
</TEXT>
</DOC>
"""


def read_ontonotes(text: str, *, issues: ReadIssues | None = None) -> list[CoreferenceDocument]:
    return parse_coreference(text, where="f.coref", issues=ReadIssues() if issues is None else issues)


def test_words_spans_parts_and_what_is_dropped() -> None:
    issues = ReadIssues()
    (document,) = read_ontonotes(FILE, issues=issues)
    assert document.name == "nw/wsj/99/wsj_9901"
    assert " ".join(document.words) == (
        "The ferry of Ulla was told . It carried Bram , the baker -LRB- once -RRB- & more ."
        " Nobody saw Mirem-Tolva ."
    )
    mentions = [(chain, " ".join(document.words[first:last])) for first, last, chain in document.spans]
    assert mentions == [
        ("000.3", "The ferry of Ulla"),
        ("000.4", "Ulla"),
        ("000.3", "It"),
        ("001.3", "Mirem-Tolva"),
    ]
    assert not issues.findings


@pytest.mark.parametrize("trace", ["*T*-1", "*", "*-12", "0", "*U*", "*?*", "*ICH*-3", "*PRO*", "*pro*-2"])
def test_traces_are_no_words(trace: str) -> None:
    (document,) = read_ontonotes(f'<DOC DOCNO="d"><TEXT>Bakers {trace} rise</TEXT></DOC>')
    assert document.words == ("Bakers", "rise")


def test_several_documents_and_a_byte_order_mark() -> None:
    text = '\ufeff\n <DOC DOCNO="a@x"><TEXT PARTNO="000">One</TEXT></DOC>\n<DOC DOCNO="b">Two</DOC>'
    assert [(one.name, one.words) for one in read_ontonotes(text)] == [("a", ("One",)), ("b", ("Two",))]
    assert [(one.name, one.words) for one in read_ontonotes("<TEXT>One</TEXT>")] == [("", ("One",))]


def test_tags_without_partners_are_findings() -> None:
    issues = ReadIssues()
    text = '<DOC DOCNO="d">\n<TEXT PARTNO="000">\nA</COREF> <COREF ID="1" TYPE="IDENT">b c\n</TEXT>\n</DOC>'
    (document,) = read_ontonotes(text, issues=issues)
    assert (document.words, document.spans) == (("A", "b", "c"), ())
    assert [(one.kind, one.where) for one in issues.findings] == [
        ("coreference bracket never opened", "f.coref:3"),
        ("coreference bracket never closed", "f.coref:3"),
    ]


WORDS = st.lists(st.sampled_from(["mill", "kiln", "she", "it", "-LRB-", "1\\/2"]), min_size=1, max_size=12)


@given(WORDS, st.data())
def test_it_agrees_with_the_columns(words: list[str], data: st.DataObject) -> None:
    """The same nested mentions in both forms give the same words and spans, whatever traces lie between."""
    places = st.integers(0, len(words) - 1)
    wanted: dict[tuple[int, int], int] = {}
    for number, (low, high) in enumerate(data.draw(st.lists(st.tuples(places, places), max_size=4))):
        span = min(low, high), max(low, high) + 1
        crossing = any(a < span[0] < b < span[1] or span[0] < a < span[1] < b for a, b in wanted)
        if not crossing:
            wanted.setdefault(span, number)
    cells, inline = [], []
    for place, word in enumerate(words):
        opened = sorted((-high, chain, low) for (low, high), chain in wanted.items() if low == place)
        closed = [(low, high, chain) for (low, high), chain in wanted.items() if high == place + 1]
        single = {chain for low, high, chain in closed if high - low == 1}
        cell = "".join(f"({chain}{')' if chain in single else ''}" for _, chain, _ in opened)
        cell += "".join(f"{chain})" for _, _, chain in closed if chain not in single)
        cells.append(f"d 0 {place} {word} X * - - - - * {cell or '-'}")
        tags = "".join(f'<COREF ID="{chain}" TYPE="IDENT">' for _, chain, _ in opened)
        inline.append(
            data.draw(st.sampled_from(["", "*T*-1 ", "0 * "])) + tags + word + "</COREF>" * len(closed)
        )
    columns = "\n".join(["#begin document (d); part 000", *cells, "#end document"])
    (expected,) = parse_coreference(columns, where="f", issues=ReadIssues())
    (found,) = read_ontonotes(
        '<DOC DOCNO="d">\n<TEXT PARTNO="000">\n' + " ".join(inline) + "\n</TEXT>\n</DOC>\n"
    )
    assert found.words == expected.words
    assert sorted(found.spans) == sorted(expected.spans)


@pytest.mark.parametrize(
    "piece",
    ["<a", "a", "\n</COREF>", '<COREF ID="1">\n', '<COREF ID="1"> a ', "<COREF a", 'a="', "<COREF a>"],
)
def test_no_text_takes_long(piece: str) -> None:
    for start, end in (("<", ""), ("<DOC ", ">")):

        def parse(units: int, start: str = start, end: str = end) -> None:
            parse_coreference(f"{start}{piece * units}{end}", where="f", issues=ReadIssues())

        assert growth(parse, 16_000 // len(piece)) < LINEAR


def test_an_ontonotes_part_is_not_written_into_every_chain_at_any_length() -> None:
    (document,) = read_ontonotes(f'<DOC><TEXT PARTNO="{"0" * 5_000}"><COREF ID="1">One</COREF></TEXT></DOC>')
    assert len(document.spans[0][2]) < 40
