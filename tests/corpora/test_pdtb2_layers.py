"""PDTB 2 with layers that are missing, broken, or kept in other ways."""

from __future__ import annotations

import shutil
from pathlib import Path

from disco2.corpora.pdtb2 import read_pdtb2
from tests.corpora.miniature import documents, faults, write_pdtb2

DOCUMENTS = documents()


def test_raw_text_without_trees_is_split_by_rule(tmp_path: Path) -> None:
    corpus = read_pdtb2(write_pdtb2(tmp_path, DOCUMENTS), trees=None)
    assert any("split by rule" in note for note in corpus.notes)
    assert not faults(corpus)
    document = corpus.documents["wsj_0003"]
    assert document.tokens[0].text == "Mina", "the word .START is no text"
    assert document.mentions is None
    assert document.sentences[0].constituents is None
    first = corpus.relations[0]
    assert document.words(first.arg1.tokens)[:2] == ["Mina", "missed"]
    assert len(corpus.relations) == sum(len(made_up.relations) for made_up in DOCUMENTS)


def test_missing_layers_are_findings(
    tmp_path: Path, trees: Path, coreference: Path, dependencies: Path
) -> None:
    copies = {name: tmp_path / name for name in ("trees", "coreference", "dependencies")}
    for name, folder in zip(copies, (trees, coreference, dependencies), strict=True):
        shutil.copytree(folder, copies[name])
        for file in copies[name].rglob("wsj_0004.*"):
            file.unlink()
    corpus = read_pdtb2(write_pdtb2(tmp_path / "corpus", DOCUMENTS), **copies)
    assert faults(corpus) == {
        "document without trees",
        "document without coreference",
        "document without dependencies",
    }
    assert corpus.documents["wsj_0004"].mentions is None
    assert corpus.documents["wsj_0003"].mentions
    assert any("split by rule" in note for note in corpus.notes)
    assert any(relation.document == "wsj_0004" for relation in corpus.relations)


def test_broken_layers_are_findings(tmp_path: Path, trees: Path, coreference: Path) -> None:
    shutil.copytree(trees, tmp_path / "trees")
    shutil.copytree(coreference, tmp_path / "coreference")
    next((tmp_path / "trees").rglob("wsj_0003.mrg")).write_text("( (S (NN mill)")
    next((tmp_path / "trees").rglob("wsj_0004.mrg")).write_text("( (S (NN Something) (RB else)) )")
    next((tmp_path / "coreference").rglob("wsj_0003.*")).write_text("one two\n")
    corpus = read_pdtb2(
        write_pdtb2(tmp_path / "corpus", DOCUMENTS),
        trees=tmp_path / "trees",
        coreference=tmp_path / "coreference",
    )
    assert {"document without trees", "document without coreference"} <= faults(corpus)
    assert len(corpus.relations) == sum(len(made_up.relations) for made_up in DOCUMENTS)


def test_one_coreference_file_may_hold_all_documents(tmp_path: Path, trees: Path, coreference: Path) -> None:
    path = write_pdtb2(tmp_path / "corpus", DOCUMENTS)
    together = tmp_path / "all" / "dev.v9_auto_conll"
    together.parent.mkdir()
    together.write_text(
        "".join(file.read_text(encoding="utf-8") for file in sorted(coreference.rglob("*_conll"))),
        encoding="utf-8",
    )
    apart = read_pdtb2(path, trees=trees, coreference=coreference)
    for given_path in (together, together.parent):
        corpus = read_pdtb2(path, trees=trees, coreference=given_path)
        assert corpus.documents == apart.documents


def test_gold_coreference_comes_before_automatic(tmp_path: Path, trees: Path, coreference: Path) -> None:
    shutil.copytree(coreference, tmp_path / "coreference")
    for file in list((tmp_path / "coreference").rglob("*_conll")):
        file.with_name(file.name.replace("v4_gold", "v9_auto")).write_text("broken\n")
    corpus = read_pdtb2(
        write_pdtb2(tmp_path / "corpus", DOCUMENTS), trees=trees, coreference=tmp_path / "coreference"
    )
    assert not faults(corpus)
