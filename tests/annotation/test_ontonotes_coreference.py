"""OntoNotes's own coreference files -> words and spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.coreference import (
    CoreferenceDocument,
    looks_like_ontonotes,
    parse_coreference,
    parse_ontonotes,
)
from disco2.data import ReadIssues
from tests.growth import LINEAR, growth

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


def read(text: str, *, issues: ReadIssues | None = None) -> list[CoreferenceDocument]:
    return parse_ontonotes(text, where="f.coref", issues=ReadIssues() if issues is None else issues)


def test_words_spans_parts_and_what_is_dropped() -> None:
    issues = ReadIssues()
    (document,) = read(FILE, issues=issues)
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
    (document,) = read(f'<DOC DOCNO="d"><TEXT>Bakers {trace} rise</TEXT></DOC>')
    assert document.words == ("Bakers", "rise")


@pytest.mark.parametrize("word", ["10", "0.5", "*stars*x", "a*", "-LRB-", "--"])
def test_words_are_no_traces(word: str) -> None:
    (document,) = read(f'<DOC DOCNO="d">{word}</DOC>')
    assert document.words == (word,)


def test_several_documents_and_a_byte_order_mark() -> None:
    text = '\ufeff<DOC DOCID="a@x"><TEXT PARTNO="000">One</TEXT></DOC>\n<DOC DOCNO="b">Two</DOC>'
    assert [(one.name, one.words) for one in read(text)] == [("a", ("One",)), ("b", ("Two",))]


def test_tags_without_partners_are_findings() -> None:
    issues = ReadIssues()
    text = '<DOC DOCNO="d">\n<TEXT PARTNO="000">\nA</COREF> <COREF ID="1" TYPE="IDENT">b c\n</TEXT>\n</DOC>'
    (document,) = read(text, issues=issues)
    assert (document.words, document.spans) == (("A", "b", "c"), ())
    assert [(one.kind, one.where) for one in issues.findings] == [
        ("coreference bracket never opened", "f.coref:3"),
        ("coreference bracket never closed", "f.coref:3"),
    ]


def test_the_two_kinds_of_files_are_told_apart() -> None:
    assert looks_like_ontonotes(FILE)
    assert looks_like_ontonotes("\ufeff\n <DOC>")
    assert not looks_like_ontonotes("#begin document (nw/wsj/00/wsj_0003); part 000\n")
    assert not looks_like_ontonotes("")


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
    (found,) = read('<DOC DOCNO="d">\n<TEXT PARTNO="000">\n' + " ".join(inline) + "\n</TEXT>\n</DOC>\n")
    assert found.words == expected.words
    assert sorted(found.spans) == sorted(expected.spans)


@pytest.mark.parametrize(
    "piece",
    ["<a", "a", "\n</COREF>", '<COREF ID="1">\n', '<COREF ID="1"> a ', "<COREF a", 'a="', "<COREF a>"],
)
def test_no_text_takes_long(piece: str) -> None:
    for start, end in (("<", ""), ("<DOC ", ">")):

        def parse(units: int, start: str = start, end: str = end) -> None:
            parse_ontonotes(f"{start}{piece * units}{end}", where="f", issues=ReadIssues())

        assert growth(parse, 16_000 // len(piece)) < LINEAR


def test_a_part_is_not_written_into_every_chain_at_any_length() -> None:
    (document,) = read(f'<DOC><TEXT PARTNO="{"0" * 5_000}"><COREF ID="1">One</COREF></TEXT></DOC>')
    assert len(document.spans[0][2]) < 40
