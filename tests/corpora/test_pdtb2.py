"""PDTB 2 from a folder in LDC's layout to documents and relations."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from disco2.corpora.pdtb2 import read_pdtb2
from disco2.data import Corpus, Relation, RelationKind
from disco2.errors import CorpusError
from tests.corpora.miniature import (
    MiniDocument,
    Writer,
    documents,
    faults,
    write_pdtb2,
    write_trees,
)

DOCUMENTS = documents()
ENCODINGS = ["native", "pipe"]


def expect_every_relation(corpus: Corpus, docs: list[MiniDocument] = DOCUMENTS) -> None:
    """Arguments and connectives have just the tokens that the made-up documents say."""
    found = iter(corpus.relations)
    for document in docs:
        for said in document.relations:
            relation = next(found)
            assert relation.document == document.id
            assert relation.kind == said.said.kind
            assert relation.arg1.tokens == document.token_numbers(said.arg1)
            assert relation.arg2.tokens == document.token_numbers(said.arg2)
            assert relation.connective_tokens == document.token_numbers(said.anchor)
    assert next(found, None) is None


def without_place(relation: Relation) -> Relation:
    return replace(relation, where="")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_offsets_find_every_argument(
    tmp_path: Path, trees: Path, coreference: Path, dependencies: Path, encoding: str
) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS, encoding=encoding)
    corpus = read_pdtb2(path, trees=trees, coreference=coreference, dependencies=dependencies)
    expect_every_relation(corpus)
    assert not faults(corpus)
    assert (corpus.name, corpus.inventory) == ("pdtb2", "pdtb2")
    assert list(corpus.documents) == [document.id for document in DOCUMENTS]
    assert any(encoding in note for note in corpus.notes)
    for made_up in DOCUMENTS:
        document = corpus.documents[made_up.id]
        assert [token.text for token in document.tokens] == [form for form, _, _ in made_up.tokens]
        assert [(token.start, token.end) for token in document.tokens] == [
            (start, end) for _, start, end in made_up.tokens
        ]
        assert [sentence.end for sentence in document.sentences] == list(made_up.sentence_ends)
        assert all(sentence.constituents is not None for sentence in document.sentences)
        assert all(sentence.dependencies is not None for sentence in document.sentences)
        mentions = [made_up.token_numbers((span,)) for chain in made_up.chains for span in chain]
        assert document.mentions is not None
        assert sorted((mention.start, mention.end) for mention in document.mentions) == sorted(
            (tokens[0], tokens[-1] + 1) for tokens in mentions
        )


def test_both_encodings_give_the_same_relations(tmp_path: Path, trees: Path) -> None:
    native, pipe = (
        read_pdtb2(write_pdtb2(tmp_path / encoding, DOCUMENTS, encoding=encoding), trees=trees)
        for encoding in ENCODINGS
    )
    assert list(map(without_place, native.relations)) == list(map(without_place, pipe.relations))
    assert native.documents == pipe.documents


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_gorn_addresses_find_the_same_without_raw_text(tmp_path: Path, trees: Path, encoding: str) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS, encoding=encoding)
    by_offsets = read_pdtb2(path, trees=trees)
    shutil.rmtree(path / "raw")
    by_gorn = read_pdtb2(path, trees=trees)
    expect_every_relation(by_gorn)
    assert not faults(by_gorn)
    assert any("Gorn" in note for note in by_gorn.notes)
    for document in by_gorn.documents.values():
        same = by_offsets.documents[document.id]
        assert [token.text for token in document.tokens] == [token.text for token in same.tokens]
        assert document.sentences == same.sentences
    for one, other in zip(by_gorn.relations, by_offsets.relations, strict=True):
        assert (one.arg1.tokens, one.arg2.tokens) == (other.arg1.tokens, other.arg2.tokens)
        assert (one.id, one.senses, one.connective) == (other.id, other.senses, other.connective)


def test_what_the_first_document_says(tmp_path: Path, trees: Path) -> None:
    corpus = read_pdtb2(write_pdtb2(tmp_path, DOCUMENTS[:1]), trees=trees)
    document = corpus.documents["wsj_0003"]
    cause, contrast, altlex, double, across, entity, nothing, *_ = corpus.relations
    assert cause.id == "wsj_0003:1"
    assert cause.where.endswith("wsj_0003.pdtb:2")
    assert document.words(cause.arg1.tokens) == ["Mina", "missed", "the", "well-lit", "ferry"]
    assert cause.connective == "because"
    assert cause.connective_tokens == ()

    assert document.words(contrast.arg1.tokens) == ["The", "ferry", "works"], "in two pieces"
    assert contrast.arg1.text == "The ferry works"
    assert document.words(contrast.connective_tokens) == ["but"]
    assert contrast.kind is RelationKind.EXPLICIT

    assert altlex.connective == "That is why"
    assert document.words(altlex.connective_tokens) == ["That", "is", "why"]

    assert double.senses == ("Expansion.Conjunction", "Temporal.Synchrony"), "in order, each once"
    assert double.connective == "and"

    sentences = {document.sentence_index(token) for token in across.arg1.tokens}
    assert len(sentences) == 2
    assert across.arg1.text == "The choir sang all night in Ulla. The café there kept its doors open."

    assert (entity.kind, entity.senses) == (RelationKind.ENTREL, ())
    assert (nothing.kind, nothing.senses) == (RelationKind.NOREL, ())


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_windows_line_ends_that_the_offsets_count(tmp_path: Path, trees: Path, encoding: str) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS, encoding=encoding, writer=Writer(newline="\r\n"))
    assert b"\r\n" in (path / "raw" / "00" / "wsj_0003").read_bytes()
    corpus = read_pdtb2(path, trees=trees)
    expect_every_relation(corpus)
    assert not faults(corpus)


def test_windows_line_ends_that_the_offsets_do_not_count(tmp_path: Path, trees: Path) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS)
    for raw in (path / "raw").glob("*/*"):
        raw.write_bytes(raw.read_bytes().replace(b"\n", b"\r\n"))
    corpus = read_pdtb2(path, trees=trees)
    expect_every_relation(corpus)
    assert faults(corpus) == {"line ends not in the offsets"}


def test_latin_1_and_utf_8(tmp_path: Path, trees: Path) -> None:
    latin = read_pdtb2(write_pdtb2(tmp_path / "latin", DOCUMENTS), trees=trees)
    assert latin.dirt.counts()["not UTF-8"] > 0
    utf8 = read_pdtb2(
        write_pdtb2(tmp_path / "utf8", DOCUMENTS, writer=Writer(encoding="utf-8")),
        trees=trees,
        encoding="utf-8",
    )
    assert utf8.documents == latin.documents
    with pytest.raises(CorpusError, match="not utf-8"):
        read_pdtb2(tmp_path / "latin", trees=trees, encoding="utf-8")


def test_a_document_in_both_encodings_is_read_once(tmp_path: Path, trees: Path) -> None:
    write_pdtb2(tmp_path, DOCUMENTS, encoding="pipe")
    corpus = read_pdtb2(write_pdtb2(tmp_path, DOCUMENTS), trees=trees)
    expect_every_relation(corpus)
    assert all(relation.where.rpartition(":")[0].endswith(".pdtb") for relation in corpus.relations)


def test_content_decides_whatever_the_file_is_called(tmp_path: Path, trees: Path) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS[:1], encoding="pipe")
    (path / "data/00/wsj_0003.pipe").rename(path / "data/00/wsj_0003.pdtb")
    expect_every_relation(read_pdtb2(path, trees=trees), DOCUMENTS[:1])


def test_raw_text_may_lie_elsewhere(tmp_path: Path, trees: Path) -> None:
    path = write_pdtb2(tmp_path / "corpus", DOCUMENTS)
    shutil.move(path / "raw", tmp_path / "texts")
    corpus = read_pdtb2(path, trees=trees, raw=tmp_path / "texts")
    expect_every_relation(corpus)
    assert not any("Gorn" in note for note in corpus.notes)
    shutil.move(tmp_path / "texts", path / "raw")
    beside = read_pdtb2(path / "data", trees=trees)
    assert beside.documents == corpus.documents


def test_an_empty_file_is_a_finding(tmp_path: Path, trees: Path) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS)
    (path / "data/00/wsj_0004.pdtb").write_text("\n")
    corpus = read_pdtb2(path, trees=trees)
    assert faults(corpus) == {"empty file"}
    assert "wsj_0004" in corpus.documents
    assert not any(relation.document == "wsj_0004" for relation in corpus.relations)


def test_a_file_of_something_else_is_refused(tmp_path: Path, trees: Path) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS)
    (path / "data/00/wsj_0004.pdtb").write_text("Bakers rise early.\n")
    with pytest.raises(CorpusError) as caught:
        read_pdtb2(path, trees=trees)
    assert caught.value.where.endswith("wsj_0004.pdtb:1")


def edited(path: Path, old: str, new: str) -> Path:
    file = path / "data/00/wsj_0003.pdtb"
    text = file.read_bytes().decode("latin-1")
    assert old in text
    file.write_bytes(text.replace(old, new, 1).encode("latin-1"))
    return path


def test_misspelt_and_unknown_senses(tmp_path: Path, trees: Path) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS[:1])
    edited(path, "Contingency.Cause.Reason", "Contingency.Cuase.Reason")
    edited(path, "Comparison.Contrast.Juxtaposition", "Weather.Rain")
    edited(path, "Expansion.Conjunction, Temporal.Synchrony", "Weather.Rain, Temporal.Synchrony")
    corpus = read_pdtb2(path, trees=trees)
    assert faults(corpus) == {"misspelt sense", "unknown sense", "relation without a sense"}
    relations = {relation.id: relation for relation in corpus.relations}
    assert relations["wsj_0003:1"].senses == ("Contingency.Cause.Reason",)
    assert "wsj_0003:2" not in relations
    assert relations["wsj_0003:4"].senses == ("Temporal.Synchrony",)


def test_a_span_without_tokens_loses_its_relation(tmp_path: Path, trees: Path) -> None:
    path = edited(write_pdtb2(tmp_path, DOCUMENTS[:1]), "9..39", "90000..90010")
    corpus = read_pdtb2(path, trees=trees)
    finding = next(finding for finding in corpus.dirt.findings if finding.kind == "empty argument")
    assert "Arg1 of wsj_0003:1" in finding.detail
    assert corpus.relations[0].id == "wsj_0003:2"


def test_a_span_that_is_not_its_text_is_reported(tmp_path: Path, trees: Path) -> None:
    path = edited(write_pdtb2(tmp_path, DOCUMENTS[:1]), "9..39", "41..98")
    corpus = read_pdtb2(path, trees=trees)
    assert faults(corpus) == {"argument differs from its text"}
    assert corpus.relations[0].id == "wsj_0003:1"


def without_traces(tree: str) -> str:
    """The tree as a parser would write it: traces and the phrases over nothing else are gone."""
    bare = re.sub(r" ?\(-NONE- [^\s()]+\)", "", tree)
    while (smaller := re.sub(r" ?\([^\s()]+\)", "", bare)) != bare:
        bare = smaller
    return bare


def test_addresses_in_a_parsers_trees_are_not_trusted(tmp_path: Path) -> None:
    """Where no trace comes before, addresses still lead to the right words; the other relations go."""
    path = write_pdtb2(tmp_path / "corpus", DOCUMENTS)
    shutil.rmtree(path / "raw")
    parsed = [replace(d, trees=tuple(map(without_traces, d.trees))) for d in DOCUMENTS]
    corpus = read_pdtb2(path, trees=write_trees(tmp_path / "trees", parsed))
    made_up = {f"{d.id}:{n}": (d, said) for d in DOCUMENTS for n, said in enumerate(d.relations, start=1)}
    lost = made_up.keys() - {relation.id for relation in corpus.relations}
    assert {made_up[name][1].said.arg2 for name in lost} == {("to refund her",)}
    assert faults(corpus) == {"empty argument"}
    for relation in corpus.relations:
        document, said = made_up[relation.id]
        assert relation.arg1.tokens == document.token_numbers(said.arg1)
        assert relation.arg2.tokens == document.token_numbers(said.arg2)


def test_an_address_that_leads_to_other_words_loses_its_relation(tmp_path: Path, trees: Path) -> None:
    path = edited(write_pdtb2(tmp_path, DOCUMENTS[:1]), "\n0,0;0,1\n", "\n2\n")
    shutil.rmtree(path / "raw")
    corpus = read_pdtb2(path, trees=trees)
    assert faults(corpus) == {"argument differs from its text"}
    assert corpus.relations[0].id == "wsj_0003:2"


def test_what_is_not_there_is_said(tmp_path: Path, trees: Path) -> None:
    with pytest.raises(CorpusError, match="no such folder"):
        read_pdtb2(tmp_path / "nowhere", trees=trees)
    with pytest.raises(CorpusError, match=r"no \.pdtb or \.pipe file"):
        read_pdtb2(tmp_path, trees=trees)
    path = write_pdtb2(tmp_path / "corpus", DOCUMENTS)
    with pytest.raises(CorpusError, match="trees"):
        read_pdtb2(path, trees=tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="no file with coreference"):
        read_pdtb2(path, trees=trees, coreference=tmp_path / "empty")
    shutil.rmtree(path / "raw")
    with pytest.raises(CorpusError, match="'raw' below or beside"):
        read_pdtb2(path, trees=None)
