"""PDTB 3 from a folder in LDC's layout to documents and relations; its lines, and the ends of its spans."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from disco2.corpora.pdtb import (
    FIELDS_3,
    OffsetEvidence,
    parse_pdtb3,
    parse_pdtb3_line,
    parse_spans,
    read_pdtb3,
)
from disco2.data import ReadIssues, RelationKind
from disco2.errors import CorpusError, SettingsError
from tests.corpora.miniature import (
    Writer,
    documents,
    faults,
    write_pdtb3,
)
from tests.corpora.test_pdtb2 import expect_every_relation

DOCUMENTS = documents()
CONVENTIONS = ["inclusive", "exclusive"]

TEXT = "The mill turns, and a miller sings. Nobody sleeps."


def written(path: Path, convention: str = "inclusive", *, newline: str = "\n") -> Path:
    return write_pdtb3(path, DOCUMENTS, writer=Writer(inclusive=convention == "inclusive", newline=newline))


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("offsets", ["auto", "same"])
def test_either_convention_is_read_when_found_or_told(
    tmp_path: Path, trees: Path, convention: str, offsets: str
) -> None:
    asked = convention if offsets == "same" else "auto"
    corpus = read_pdtb3(written(tmp_path, convention), trees=trees, offsets=asked)  # type: ignore[arg-type]
    expect_every_relation(corpus)
    assert not faults(corpus)
    assert corpus.notes[0].startswith(f"Span ends were read as {convention}")
    assert "clear" in corpus.notes[0]
    assert ("by the text" if offsets == "auto" else "as asked") in corpus.notes[0]
    assert len(corpus.notes) == 2


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_an_order_against_the_text_is_followed_and_noted(
    tmp_path: Path, trees: Path, convention: str
) -> None:
    other = "exclusive" if convention == "inclusive" else "inclusive"
    corpus = read_pdtb3(written(tmp_path, convention), trees=trees, offsets=other)  # type: ignore[arg-type]
    assert corpus.notes[0].startswith(f"Span ends were read as {other}, as asked")
    assert f"suggests {convention}" in corpus.notes[1]
    made_up = DOCUMENTS[0]
    cause = corpus.relations[0]
    if other == "exclusive":
        assert cause.arg1.text == "Mina missed the well-lit ferr", "a letter short"
        assert "span cuts a token" in faults(corpus)
    else:
        end = made_up.token_numbers(made_up.relations[0].arg1)[-1] + 1
        assert cause.arg1.tokens[-1] == end, "with the full stop"


def test_the_folders_may_lie_in_data(tmp_path: Path, trees: Path) -> None:
    written(tmp_path / "data")
    expect_every_relation(read_pdtb3(tmp_path, trees=trees))


def test_kinds_of_pdtb3(tmp_path: Path, trees: Path) -> None:
    path = written(tmp_path)
    file = path / "gold/00/wsj_0003"
    lines = file.read_bytes().decode("latin-1").splitlines()
    for number, kind in ((0, "AltLexC"), (5, "Hypophora"), (6, "Weather")):
        lines[number] = kind + lines[number][lines[number].index("|") :]
    file.write_bytes("\n".join(lines).encode("latin-1"))
    corpus = read_pdtb3(path, trees=trees)
    kinds = {relation.id: relation.kind for relation in corpus.relations}
    assert kinds["wsj_0003:1"] is RelationKind.ALTLEXC
    assert kinds["wsj_0003:6"] is RelationKind.HYPOPHORA
    assert "wsj_0003:7" not in kinds
    assert faults(corpus) == {"unknown kind of relation"}


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_windows_line_ends(tmp_path: Path, trees: Path, convention: str) -> None:
    corpus = read_pdtb3(written(tmp_path / "counted", convention, newline="\r\n"), trees=trees)
    expect_every_relation(corpus)
    assert not faults(corpus)
    path = written(tmp_path / "uncounted", convention)
    for raw in (path / "raw").glob("*/*"):
        raw.write_bytes(raw.read_bytes().replace(b"\n", b"\r\n"))
    corpus = read_pdtb3(path, trees=trees)
    expect_every_relation(corpus)
    assert faults(corpus) == {"line ends not in the offsets"}


def test_faults_of_lines_and_files(tmp_path: Path, trees: Path) -> None:
    path = written(tmp_path)
    (path / "gold/00/wsj_0004").write_text("")
    (path / "raw/00/wsj_0020").unlink()
    file = path / "gold/00/wsj_0003"
    data = file.read_bytes()
    first, second, *_ = data.splitlines(keepends=True)
    file.write_bytes(data.replace(first, first.replace(b"|", b"", 1)).replace(second, second * 2)[:-40])
    corpus = read_pdtb3(path, trees=trees)
    assert faults(corpus) == {"bad relation line", "document without text", "empty file", "relation twice"}
    assert corpus.issues.counts()["bad relation line"] == 2
    lines = [int(relation.id.rpartition(":")[2]) for relation in corpus.relations]
    assert lines == [2, *range(4, len(DOCUMENTS[0].relations) + 1)], "line 3 repeats line 2"
    assert list(corpus.documents) == ["wsj_0003", "wsj_0004"]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as caught:
        read_pdtb3(tmp_path)
    assert caught.value.where == str(tmp_path / "gold")
    path = written(tmp_path / "corpus")
    with pytest.raises(SettingsError, match="sideways"):
        read_pdtb3(path, offsets="sideways")  # type: ignore[arg-type]
    shutil.rmtree(path / "raw")
    with pytest.raises(CorpusError) as caught:
        read_pdtb3(path)
    assert caught.value.where == str(path / "raw")
    (path / "raw").mkdir()
    with pytest.raises(CorpusError, match="None of 3 files"):
        read_pdtb3(path)


def line(**fields: str) -> str:
    row = [""] * FIELDS_3
    for name, value in fields.items():
        row[int(name.removeprefix("f"))] = value
    return "|".join(row)


GOOD = line(
    f0="Implicit", f7="so", f8="Contingency.Cause.Result ", f9="_", f10="then", f11="Temporal.Synchronous",
    f13="0..3", f14="4..9;12..20", f20="21..30", f31="21", f32="made up", f33="LINK1",
)  # fmt: skip


def test_fields_find_their_place() -> None:
    relation = parse_pdtb3_line(GOOD.split("|"), 1)
    assert relation.kind == "Implicit"
    assert relation.connective_spans == ()
    assert relation.connectives == ("so", "then")
    assert relation.senses == ("Contingency.Cause.Result", "Temporal.Synchronous")
    assert relation.arg1_spans == ((4, 9), (12, 20))
    assert relation.arg2_spans == ((21, 30),)


@pytest.mark.parametrize(
    "field", ["3", "3..", "..3", "3..x", "9..3", "3..5;", "-1..4", "1...4", "9" * 5000 + "..1"]
)
def test_spans_that_are_none(field: str) -> None:
    with pytest.raises(CorpusError):
        parse_spans(field)


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
        issues = ReadIssues()
        read = parse_pdtb3(end.join(lines), where="gold/00/made_up", issues=issues)
        assert read == [parse_pdtb3_line(GOOD.split("|"), line) for line in (1, 6)]
        assert [finding.where for finding in issues.findings] == [
            f"gold/00/made_up:{n}" for n in (3, 4, 5, 7)
        ]
        assert "3 fields" in issues.findings[0].detail


def spans_of(*words: str, inclusive: bool) -> list[tuple[int, int]]:
    return [(TEXT.index(word), TEXT.index(word) + len(word) - inclusive) for word in words]


@pytest.mark.parametrize("inclusive", [True, False])
def test_the_text_tells(inclusive: bool) -> None:
    evidence = OffsetEvidence()
    evidence.add(TEXT, spans_of("The mill", "and", "a", "Nobody sleeps", inclusive=inclusive))
    assert evidence.convention == ("inclusive" if inclusive else "exclusive")
    assert "clear" in evidence.describe()


@pytest.mark.parametrize(("counts", "words"), [((0, 0, 2), "no span says which"), ((3, 2, 500), "mixed")])
def test_full_stops_and_a_few_slips_speak_for_exclusive_ends(
    counts: tuple[int, int, int], words: str
) -> None:
    evidence = OffsetEvidence(*counts)
    assert evidence.convention == "exclusive"
    assert words in evidence.describe()
