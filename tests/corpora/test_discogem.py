"""DiscoGeM from made-up files: arguments, senses, votes, parts, groups, and what may be wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.discogem import read_discogem, read_votes, split_sentences
from disco2.data import RelationKind
from disco2.data.senses import inventory
from disco2.errors import CorpusError
from tests.corpora.discogem_files import (
    NARROW,
    NARROW_HEADER,
    TALE,
    WIDE,
    WIDE_HEADER,
    items,
    write_discogem,
    write_questions,
    write_table,
)

PDTB3 = inventory("pdtb3")


def row(name: str, label: str, arg1: str, arg2: str, *, source: str = "tale") -> tuple[str, ...]:
    return ("implicit ", "novel", source, name, label, arg1, arg2)


def test_an_item_is_a_pair_of_single_sentences_with_a_full_sense(tmp_path: Path) -> None:
    corpus = read_corpus("DiscoGeM", write_discogem(tmp_path, 1))
    assert (corpus.name, corpus.inventory) == ("discogem", "pdtb3")
    assert not corpus.issues.findings
    first, second, _ = corpus.relations
    assert first.arg2.text == second.arg1.text == TALE[2].replace("the", "the aorn0", 1)
    assert first.senses == ("Expansion.Level-of-detail.Arg2-as-detail",)
    assert (first.kind, first.document) == (RelationKind.IMPLICIT, first.id)
    document = corpus.documents[first.id]
    assert document.text == f"{first.arg1.text}\n\n{first.arg2.text}"
    assert first.where == f"{tmp_path / NARROW}:2"
    assert set(corpus.groups.values()) == {"tale00"}


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Mr. Hall left.  Mrs. Hall stayed.", ["Mr. Hall left.", "Mrs. Hall stayed."]),
        ('He left. " She stayed.', ['He left. "', "She stayed."]),
        ('He left. " She stayed, " he said.', ["He left.", '" She stayed, " he said.']),
        ("It ended . . . They slept.", ["It ended . . .", "They slept."]),
        ("He waved. ’", ["He waved. ’"]),  # noqa: RUF001
        ("“ No? ” “ Yes.", ["“ No? ”", "“ Yes."]),
        ("", []),
        (" _ ", ["_"]),
    ],
)
def test_sentences_are_cut_as_the_annotators_saw_them(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_a_neighbour_shows_a_border_that_no_rule_finds(tmp_path: Path) -> None:
    rows = [
        row("a", "conjunction", "It was late.", "The lamp went out; the whole family was still awake."),
        row("b", "reason", "The lamp went out;", "the whole family was still awake. They sang."),
    ]
    found = read_discogem(write_discogem(tmp_path, rows=rows)).relations
    assert [one.arg2.text for one in found] == ["The lamp went out;", "the whole family was still awake."]
    elsewhere = [rows[0], row("b", *rows[1][4:], source="another")]
    first, _ = read_discogem(write_discogem(tmp_path, rows=elsewhere)).relations
    assert first.arg2.text.endswith("still awake.")


def test_a_list_number_is_no_part_of_an_argument(tmp_path: Path) -> None:
    rows = [row("a", "conjunction", "1. Water boils.", "2. Ice melts. It is cold.")]
    (found,) = read_discogem(write_discogem(tmp_path, rows=rows)).relations
    assert (found.arg1.text, found.arg2.text) == ("Water boils.", "Ice melts.")


def test_labels_that_are_no_sense(tmp_path: Path) -> None:
    labels = ("differentcon", "norel", "succesion", "synchronous")
    rows = [row(str(number), label, "Rain fell.", "It froze.") for number, label in enumerate(labels)]
    corpus = read_discogem(write_discogem(tmp_path, rows=rows))
    assert [one.senses for one in corpus.relations] == [(), (), (), ("Temporal.Synchronous",)]
    assert corpus.relations[1].kind is RelationKind.NOREL
    assert corpus.issues.counts() == {"no sense": 2}


def test_votes_are_shares_of_senses() -> None:
    votes = dict(read_votes("result:0.5; reason:0; contrast:0.25; differentcon:0.25; norel:0.25; x:y", PDTB3))
    assert votes == {"Contingency.Cause.Result": 0.5, "Comparison.Contrast": 0.25, "NoRel": 0.25}
    assert read_votes("", PDTB3) == read_votes("reason:-1; result:inf; nonsense", PDTB3) == ()


def test_votes_come_from_the_questions_where_there_is_no_wide_file(tmp_path: Path) -> None:
    write_discogem(tmp_path, 1)
    write_questions(
        tmp_path, [("tale00_item_1", "arg2-as-detail:0.75; result:0.25"), ("tale00_item_2", "NA")]
    )
    corpus = read_discogem(tmp_path)
    assert corpus.relations[0].votes == (
        ("Expansion.Level-of-detail.Arg2-as-detail", 0.75),
        ("Contingency.Cause.Result", 0.25),
    )
    assert corpus.relations[1].votes == ()


def test_the_wide_file_brings_votes(tmp_path: Path) -> None:
    write_discogem(tmp_path, 2)
    write_questions(tmp_path, [("a", "reason:1")])
    rows = [
        ("a", "tale00", "novel", "result:1", "result", "Ice melts. A b.", "C d. Ice melts.", "A b.", "C d."),
        ("b", "tale00", "novel", "NA", "reason", "Ice melts. E f.", "G h. Ice melts.", "NA", "NA"),
        ("c", "wsj", "pdtb", "reason:1", "reason", "NA", "NA", "NA", "NA"),
    ]
    write_table(tmp_path / WIDE, [WIDE_HEADER, *rows])
    corpus = read_discogem(tmp_path)
    assert [(one.arg1.text, one.arg2.text) for one in corpus.relations] == [
        ("A b.", "C d."),
        ("E f.", "G h."),
    ]
    assert corpus.relations[0].votes == (("Contingency.Cause.Result", 1.0),)
    assert corpus.issues.counts() == {"empty argument": 1, "item without a part": 1}
    assert corpus.notes == ()


def test_faults_in_the_table_are_findings(tmp_path: Path) -> None:
    rows = [
        *items(1),
        items(1)[0],
        row("", "reason", "A b.", "C d."),
        row("x", "reason", "", "C d."),
        ("a", "b"),
    ]
    corpus = read_discogem(write_discogem(tmp_path, rows=[one for one in rows if len(one) > 3]))
    assert len(corpus.relations) == 3
    assert corpus.issues.counts() == {"no id of its own": 2, "empty argument": 1}
    write_table(tmp_path / NARROW, [NARROW_HEADER, *rows])
    assert read_discogem(tmp_path).issues.counts()["wrong number of columns"] == 1


def test_what_is_no_discogem_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="columns of DiscoGeM") as caught:
        read_discogem(tmp_path)
    assert "SemClass" in caught.value.hint
    write_table(tmp_path / NARROW, [NARROW_HEADER])
    with pytest.raises(CorpusError, match="rows with the columns"):
        read_discogem(tmp_path)
    (tmp_path / NARROW).write_text(",".join(NARROW_HEADER) + '\na,b,"' + "x" * 200_000)
    with pytest.raises(CorpusError, match=r"rows with the columns.*The first fault"):
        read_discogem(tmp_path)
    with pytest.raises(CorpusError, match="not a folder"):
        read_discogem(tmp_path / NARROW)
