from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disco2.corpora.pairs import read_pairs, write_pairs
from disco2.data import Corpus, RelationKind
from disco2.errors import CorpusError
from tests.fuzzing.target import check_document
from tests.growth import LINEAR, growth

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).map(
    lambda text: f"A {text.strip()} b".strip()
)


def read(tmp_path: Path, name: str, content: str | bytes, **options: str) -> Corpus:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_pairs(file, **options)


def arguments(corpus: Corpus) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(relation.arg1.text, relation.arg2.text, relation.senses) for relation in corpus.relations]


def test_json_lines_with_every_column(tmp_path: Path) -> None:
    lines = [
        {"arg1": "It rained.", "arg2": "We stayed in.", "label": "result", "id": "x", "split": "validation"},
        {"arg1": "Tea? Yes.", "arg2": "Cake!", "label": ["list", "contrast"], "kind": "explicit", "id": 7},
        {"ARG1": "No label", "arg2": "here", "label": None, "source": "book 1"},
    ]
    corpus = read(tmp_path, "p.jsonl", "\r\n".join(json.dumps(line) for line in lines))
    assert arguments(corpus) == [
        ("It rained.", "We stayed in.", ("result",)),
        ("Tea? Yes.", "Cake!", ("list", "contrast")),
        ("No label", "here", ()),
    ]
    assert [relation.id for relation in corpus.relations] == ["x", "7", "p:3"]
    assert [relation.kind for relation in corpus.relations][1] is RelationKind.EXPLICIT
    assert (corpus.parts, corpus.groups) == ({"x": "dev"}, {"p:3": "book 1"})
    assert corpus.inventory == "free"
    assert not corpus.issues.findings


def test_votes_are_shares_of_labels(tmp_path: Path) -> None:
    votes: list[object] = [
        {"result": 6, "contrast": 2},
        {"result": 1, "contrast": -1, "list": True, "other": "2"},
        {"result": 0},
        "result",
        None,
    ]
    lines = [{"arg1": "It rained.", "arg2": "We left.", "votes": one, "id": i} for i, one in enumerate(votes)]
    lines[1]["label"] = "list"
    corpus = read(tmp_path, "p.jsonl", "\n".join(map(json.dumps, lines)))
    assert [one.votes for one in corpus.relations] == [
        (("result", 0.75), ("contrast", 0.25)),
        (("result", 1.0),),
        (),
        (),
        (),
    ]
    assert [one.senses for one in corpus.relations] == [(), ("list",), (), (), ()]
    assert [one.where for one in corpus.issues.findings] == [f"{tmp_path / 'p.jsonl'}:{n}" for n in (2, 3, 4)]
    table = read(tmp_path, "p.csv", "arg1,arg2,label,votes\nIt rained.,We left.,result,7\n")
    assert not table.issues.findings
    write_pairs(corpus, tmp_path / "again.jsonl")
    again = read_pairs(tmp_path / "again.jsonl")
    assert [one.votes for one in again.relations] == [one.votes for one in corpus.relations]


def test_each_pair_is_a_document_whose_tokens_lie_in_its_text(tmp_path: Path) -> None:
    corpus = read(tmp_path, "p.csv", 'arg1,arg2\n"One. Two,\nthree.",Four\n')
    relation = corpus.relations[0]
    document = corpus.documents[relation.document]
    assert document.text == "One. Two,\nthree.\n\nFour"
    assert relation.arg1.tokens + relation.arg2.tokens == tuple(range(len(document.tokens)))
    assert document.words(relation.arg2.tokens) == ["Four"]
    assert document.sentences[-1].start == relation.arg2.tokens[0]
    check_document(document)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tables_in_all_dialects(tmp_path: Path, delimiter: str, end: str) -> None:
    rows = [
        ["Label", " arg2", "arg1", "note"],
        ["so", 'He said "hi, there"', "a;b", ""],
        ["", "x\ny", "ü\tz", "."],
    ]
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=delimiter, lineterminator=end).writerows(rows)
    corpus = read(tmp_path, "p.csv", "\ufeff" + table.getvalue())
    assert arguments(corpus) == [("a;b", 'He said "hi, there"', ("so",)), ("ü\tz", "x\ny", ())]
    assert [relation.where.rpartition(":")[2] for relation in corpus.relations] == ["2", "3"]
    assert not corpus.issues.findings


def test_broken_lines_are_named_and_survived(tmp_path: Path) -> None:
    lines = ['{"arg1": "a", "arg2": "b"}', '{"arg1": "a"', "[1]", '{"arg1": " ", "arg2": "b"}', ""]
    lines += ['{"arg1": "a", "arg2": ["b"]}', '{"arg1": "\\ud800", "arg2": "b"}', "[" * 100_000]
    lines += ['{"arg1": "c", "arg2": "d", "kind": "strange"}', '{"arg1": "e", "arg2": "f", "la']
    corpus = read(tmp_path, "p.jsonl", "\n".join(lines))
    assert [relation.arg1.text for relation in corpus.relations] == ["a"]
    found = [(finding.kind, int(finding.where.rpartition(":")[2])) for finding in corpus.issues.findings]
    assert found == [
        ("broken line", 2),
        ("broken line", 3),
        ("empty argument", 4),
        ("empty argument", 6),
        ("broken line", 7),
        ("broken line", 8),
        ("unknown kind of relation", 9),
        ("broken line", 10),
    ]


def test_rows_of_another_width_are_skipped(tmp_path: Path) -> None:
    corpus = read(tmp_path, "p.csv", "arg1,arg2,label\na,b,c\nd,e\n\nf,g,h,i\nj,k,l\nm,n")
    assert [relation.arg1.text for relation in corpus.relations] == ["a", "j"]
    assert [finding.where.rpartition(":")[2] for finding in corpus.issues.findings] == ["3", "5", "7"]
    assert set(corpus.issues.counts()) == {"wrong number of columns"}


def test_a_quotation_mark_that_never_closes_costs_no_other_line(tmp_path: Path) -> None:
    corpus = read(tmp_path, "p.tsv", 'arg1\targ2\n"Oh\tyes\nA\t"B"\n"Hm," she said.\tGood\nC\tD\n')
    assert arguments(corpus) == [
        ('"Oh', "yes", ()),
        ("A", "B", ()),
        ('"Hm," she said.', "Good", ()),
        ("C", "D", ()),
    ]
    assert corpus.issues.counts() == {"stray quotation mark": 2}


@pytest.mark.parametrize("end", ["", '"\n'])
def test_quotation_marks_that_never_close_take_linear_time(tmp_path: Path, end: str) -> None:
    # Each line leaves a quoted cell open, and each of the next ones closes it and opens another.
    def read_lines(lines: int) -> None:
        corpus = read(tmp_path, "p.csv", "arg1,arg2,label\nA,B,C\n" + 'a","b\n' * lines + end)
        assert corpus.issues.counts()["wrong number of columns"] >= lines - 2

    assert growth(read_lines, 500) < LINEAR


def test_not_a_number_is_a_cell_left_empty(tmp_path: Path) -> None:
    lines = [
        '{"arg1": "a", "arg2": "b", "label": NaN}',
        '{"arg1": NaN, "arg2": "b"}',
        '{"arg1": 1e999, "arg2": 2.5}',
    ]
    corpus = read(tmp_path, "p.jsonl", "\n".join(lines))
    assert arguments(corpus) == [("a", "b", ())]
    assert corpus.issues.counts() == {"empty argument": 2}


def test_repeated_ids_are_told_apart(tmp_path: Path) -> None:
    corpus = read(tmp_path, "p.csv", "id,arg1,arg2\n1,a,b\n1,c,d\n")
    assert [relation.id for relation in corpus.relations] == ["1", "1:3"]
    assert corpus.issues.counts() == {"repeated id": 1}
    assert len(corpus.documents) == 2


def test_a_named_inventory_checks_the_labels(tmp_path: Path) -> None:
    table = "arg1,arg2,label\na,b,contingency.cause\nc,d,comparison.Contrast\ne,f,elaboration\ng,h,NoRel\n"
    corpus = read(tmp_path, "p.csv", table, inventory_name="pdtb3")
    assert [relation.senses for relation in corpus.relations] == [
        ("Contingency.Cause",),
        ("Comparison.Contrast",),
        (),
        (),
    ]
    assert corpus.issues.counts() == {"unknown sense": 1}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", ""),
        ("p.csv", "arg1,argument2\na,b\n"),
        ("p.csv", "arg1,arg2\n"),
        ("p.jsonl", ""),
        ("p.jsonl", '[{"arg1": "a", "arg2": "b"}]'),
        ("p.txt", "Just a text."),
    ],
)
def test_files_without_a_usable_pair_are_refused(tmp_path: Path, name: str, content: str) -> None:
    with pytest.raises(CorpusError, match=name):
        read(tmp_path, name, content)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
@settings(deadline=None)
def test_what_a_table_writer_writes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    table = io.StringIO(newline="")
    csv.writer(table).writerows([("arg1", "arg2"), *pairs])
    corpus = read(tmp_path_factory.mktemp("pairs"), "p.csv", table.getvalue())
    assert [(relation.arg1.text, relation.arg2.text) for relation in corpus.relations] == pairs


def test_odd_splits_and_labels_are_findings(tmp_path: Path) -> None:
    lines = [{"arg1": "It rained.", "arg2": "We left.", "split": "tset", "label": ["A", 1, True]}]
    lines += [{"arg1": "It rained.", "arg2": "We left.", "split": "Validation", "label": {}}]
    lines += [{"arg1": "It rained.", "arg2": "We left.", "label": False}]
    corpus = read(tmp_path, "a.jsonl", "\n".join(map(json.dumps, lines)))
    assert corpus.parts == {"a:1": "tset", "a:2": "dev"}
    assert [relation.senses for relation in corpus.relations] == [("A", "1", "true"), (), ("false",)]
    assert corpus.issues.counts() == {"unknown split": 1, "unusable label": 1}


def test_a_column_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="'label' occurs twice"):
        read(tmp_path, "a.csv", "arg1,arg2,label,Label\nIt rained.,We left.,A,B\n")


def test_the_first_fault_is_the_one_that_matters(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"first fault: .*Not JSON"):
        read(tmp_path, "a.jsonl", b'{"arg1": "\xe9"')
