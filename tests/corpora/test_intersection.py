"""PDTB ∩ OntoNotes: documents that have coreference, and coreference in either of its two forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.pdtb2 import read_pdtb2
from disco2.corpora.pdtb3 import read_pdtb3
from disco2.corpora.protocols import documents_with_coreference
from disco2.errors import CorpusError
from disco2.records import Document
from tests.corpora.made_up import corpus, relation
from tests.corpora.miniature import (
    documents,
    faults,
    write_coreference,
    write_ontonotes,
    write_pdtb2,
    write_pdtb3,
    write_trees,
)
from tests.corpora.miniature_conll16 import write_conll16_parts
from tests.corpora.miniature_more_scenes import ALL_SCENES

DOCUMENTS = documents()


def test_documents_without_a_file_go_and_those_without_a_chain_stay(tmp_path: Path, trees: Path) -> None:
    files = write_coreference(tmp_path / "coref", DOCUMENTS[:2])
    silent = next(files.rglob("wsj_0004.*"))
    lines = silent.read_text(encoding="utf-8").splitlines()
    cells = [line.rpartition(" ")[0] + " -" if " " in line and line[0] != "#" else line for line in lines]
    silent.write_text("\n".join(cells) + "\n", encoding="utf-8")
    whole = read_pdtb2(write_pdtb2(tmp_path / "corpus", DOCUMENTS), trees=trees, coreference=files)
    assert [document.mentions is None for document in whole.documents.values()] == [False, False, True]
    kept = documents_with_coreference(whole)
    assert list(kept.documents) == ["wsj_0003", "wsj_0004"]
    assert kept.documents["wsj_0004"].mentions == ()
    assert {one.document for one in kept.relations} == set(kept.documents)
    assert len(kept.relations) == sum(len(made_up.relations) for made_up in DOCUMENTS[:2])
    assert kept.notes[-1] == "2 of 3 documents have coreference."


def test_parts_of_lost_documents_go_too() -> None:
    whole = corpus([relation("a", 1), relation("b", 1)], parts={"a": "train", "b": "test"})
    with pytest.raises(CorpusError, match="None of 2 documents") as caught:
        documents_with_coreference(whole)
    assert "--coref" in caught.value.hint


def test_ontonotes_files_give_what_the_columns_give(tmp_path: Path, trees: Path, coreference: Path) -> None:
    inline = write_ontonotes(tmp_path / "inline", DOCUMENTS)
    path = write_pdtb2(tmp_path / "two", DOCUMENTS)
    columns = read_pdtb2(path, trees=trees, coreference=coreference)
    found = read_pdtb2(path, trees=trees, coreference=inline)
    assert found.documents == columns.documents
    assert not faults(found)
    three = read_pdtb3(write_pdtb3(tmp_path / "three", DOCUMENTS), trees=trees, coreference=inline)
    assert all(document.mentions for document in three.documents.values())
    assert not faults(three)


def test_one_ontonotes_file_may_hold_all_documents(tmp_path: Path, trees: Path) -> None:
    inline = write_ontonotes(tmp_path / "inline", DOCUMENTS)
    path = write_pdtb2(tmp_path / "two", DOCUMENTS)
    together = tmp_path / "all.coref"
    together.write_text("".join(file.read_text() for file in sorted(inline.rglob("*.coref"))))
    apart = read_pdtb2(path, trees=trees, coreference=inline)
    assert read_pdtb2(path, trees=trees, coreference=together).documents == apart.documents


def test_gold_columns_come_before_ontonotes_and_both_before_automatic(tmp_path: Path, trees: Path) -> None:
    path = write_pdtb2(tmp_path / "two", DOCUMENTS)
    inline = write_ontonotes(tmp_path / "inline", DOCUMENTS)
    for file in list(inline.rglob("*.coref")):
        file.with_name(file.stem + ".v9_auto_conll").write_text("broken\n")
    assert not faults(read_pdtb2(path, trees=trees, coreference=inline))


def test_conll16_takes_trees_and_coreference_of_the_treebank(tmp_path: Path) -> None:
    docs = documents([22, 23], files=(3,), scenes=ALL_SCENES)
    path = write_conll16_parts(tmp_path / "conll16", docs)
    trees = write_trees(tmp_path / "trees", docs)
    coreference = write_coreference(tmp_path / "coref", docs[:1])
    bare = read_corpus("conll16", path)
    found = read_corpus("conll16", path, trees=trees, coreference=coreference)
    assert found.relations == bare.relations
    assert found.parts == bare.parts == {"wsj_2203": "dev", "wsj_2303": "test"}
    unparsed = [one for document in bare.documents.values() for one in document.sentences]
    parsed = [one for document in found.documents.values() for one in document.sentences]
    assert sum(one.constituents is None for one in unparsed) == 2, "the parser failed on the brackets"
    assert all(one.constituents is not None for one in parsed)
    assert all(document.mentions is None for document in bare.documents.values())
    assert list(documents_with_coreference(found).documents) == ["wsj_2203"]
    two = read_pdtb2(write_pdtb2(tmp_path / "two", docs), trees=trees, coreference=coreference)
    for name, document in found.documents.items():
        assert [one.text for one in document.tokens] == [one.text for one in two.documents[name].tokens]
        assert _mentions(document) == _mentions(two.documents[name])


def _mentions(document: Document) -> list[tuple[int, int, str]]:
    """Without their heads, which come from dependencies where there are any."""
    return [(one.start, one.end, one.chain) for one in document.mentions or ()]
