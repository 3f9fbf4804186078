"""Relations as files of other programs, read back by our own readers or checked by their rules."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

import disco2
from disco2.corpora.conll16 import read_conll16
from disco2.corpora.disrpt import read_disrpt
from disco2.errors import InputError
from disco2.inference.exports import FORMS, Found, write_archive, write_relations
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction
from tests.corpora.disrpt_rules import complaints

TEXT = (
    "The shop opened in May. However, nobody came.\r\nTherefore, it closed. If it rains, then the match "
    "will be cancelled. Who won? Tina won it. She was happy because\nshe had trained."
)


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return disco2.load("en-fast")


@pytest.fixture(scope="module")
def found(nlp: Pipeline) -> Found:
    document = nlp.annotate(TEXT, document_id="story")
    return document, nlp.relations(document)


def tokens(prediction: Prediction) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    assert prediction.source is not None
    relation = prediction.source.relation
    return relation.arg1.tokens, relation.arg2.tokens, relation.connective_tokens


def test_conll16_is_read_back(found: Found, tmp_path: Path) -> None:
    document, predictions = found
    assert write_relations([found], tmp_path / "out", "conll16") == []
    corpus = read_conll16(tmp_path / "out")
    assert not corpus.issues.findings
    (read,) = corpus.documents.values()
    assert [token.text for token in read.tokens] == [token.text for token in document.tokens]
    for relation, one in zip(corpus.relations, predictions, strict=True):
        assert (relation.arg1.tokens, relation.arg2.tokens, relation.connective_tokens) == tokens(one)
        assert relation.kind == one.kind
        assert relation.senses == (() if one.sense == one.kind else (one.sense,))


def test_disrpt_is_read_back(found: Found, tmp_path: Path) -> None:
    document, predictions = found
    write_relations([found], tmp_path / "out", "disrpt")
    table = tmp_path / "out" / "relations.rels"
    assert complaints(table.read_text(encoding="utf-8")) == []
    corpus = read_disrpt(table)
    assert not corpus.issues.findings
    for relation, one in zip(corpus.relations, predictions, strict=True):
        assert {relation.arg1.tokens, relation.arg2.tokens} == set(tokens(one)[:2])
        assert relation.kind == one.kind
    tags = [
        line.split("\t")
        for line in (tmp_path / "out" / "relations.tok").read_text(encoding="utf-8").splitlines()
        if line[:1].isdigit()
    ]
    assert [cells[1] for cells in tags] == [token.text for token in document.tokens]
    marked = {number for number, cells in enumerate(tags) if cells[-1] != "Conn=O"}
    assert marked == {token for one in predictions for token in tokens(one)[2]}


def test_csv_has_a_row_each(found: Found, tmp_path: Path) -> None:
    write_relations([found], tmp_path / "out", "csv")
    with (tmp_path / "out" / "relations.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["sense"] for row in rows] == [one.sense for one in found[1]]
    for row in rows:
        for name in ("connective", "arg1", "arg2"):
            places = [place.split("-") for place in row[f"{name}_spans"].split(",") if place]
            pieces = [TEXT[int(start) : int(end)] for start, end in places]
            assert (" ... " if name == "connective" else " ").join(pieces) == row[name]


def test_brat_fits_its_text(found: Found, tmp_path: Path) -> None:
    write_relations([found], tmp_path / "out", "brat")
    text = (tmp_path / "out" / "story.txt").read_bytes().decode()
    assert text == TEXT
    bound, related = {}, []
    for line in (tmp_path / "out" / "story.ann").read_text(encoding="utf-8").splitlines():
        name, what, *rest = line.split("\t")
        if name[0] == "T":
            kind, _, places = what.partition(" ")
            spans = [tuple(map(int, place.split())) for place in places.split(";")]
            assert " ".join(text[start:end] for start, end in spans) == rest[0]
            assert not any("\n" in text[start:end] for start, end in spans)
            bound[name] = kind
        elif name[0] == "R":
            related.append(re.fullmatch(r"([A-Za-z0-9_-]+) Arg1:(T\d+) Arg2:(T\d+)", what))
    assert all(one is not None and {one[2], one[3]} <= bound.keys() for one in related)
    assert len(related) == len(found[1]) + sum(kind == "Connective" for kind in bound.values())


@pytest.mark.parametrize("form", FORMS)
def test_a_text_without_relations(nlp: Pipeline, tmp_path: Path, form: str) -> None:
    write_relations([(nlp.annotate(""), [])], tmp_path / form, form)
    assert list((tmp_path / form).iterdir())


def test_unknown_forms_and_names_are_refused(found: Found, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Unknown form 'xml'"):
        write_relations([found], tmp_path / "out", "xml")
    with pytest.raises(InputError, match="names of their own"):
        write_relations([found, found], tmp_path / "out", "csv")


def test_an_archive_holds_the_same_and_depends_on_the_content_alone(found: Found, tmp_path: Path) -> None:
    document, predictions = found
    several = [
        (replace(document, id=name), predictions) for name in ("a/b.txt", "a%2Fb.txt", "a:b", "x" * 300)
    ]
    assert (
        write_archive(tmp_path / "one.zip", several, "conll16")
        == sha256((tmp_path / "one.zip").read_bytes()).hexdigest()
    )
    (tmp_path / "again").mkdir()
    write_archive(tmp_path / "again" / "one.zip", several, "conll16")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "again" / "one.zip").read_bytes()
    with ZipFile(tmp_path / "one.zip") as archive:
        archive.extractall(tmp_path)
    corpus = read_conll16(tmp_path / "one")
    assert not corpus.issues.findings
    assert {"a%2Fb.txt", "a%252Fb.txt", "a%3Ab"} < corpus.documents.keys()
    assert [one.document for one in corpus.relations] == [
        name for name in corpus.documents for _ in predictions
    ]
    assert [one.arg2.tokens for one in corpus.relations] == 4 * [tokens(one)[1] for one in predictions]
