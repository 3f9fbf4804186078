"""Splits by protocol, documents that have coreference (PDTB ∩ OntoNotes), and sentences held out."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.corpora.catalogue import (
    HeldOutSentences,
    choose_sections,
    document_parts,
    documents_with_coreference,
    find_section,
    read_corpus,
    split_relations,
)
from disco2.corpora.pairs import pair_document, read_pairs
from disco2.corpora.pdtb import read_pdtb2, read_pdtb3
from disco2.data import Corpus, Document, Relation, RelationKind
from disco2.errors import CorpusError, SettingsError
from tests.corpora.made_up import corpus, relation, wsj_corpus
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
from tests.corpora.miniature_documents import ALL_SCENES

DOCUMENTS = documents()

LONG = "The old miller didn't close the heavy gate of the mill."
OTHER = "A small dog barked at every car that passed."


def sections(relations: list[Relation]) -> list[int | None]:
    return [find_section(relation.document) for relation in relations]


def plain_corpus(documents: int) -> Corpus:
    return corpus([relation(f"story{number}", 1) for number in range(documents)])


def test_sections_are_the_digits_after_wsj() -> None:
    assert find_section("wsj_0203") == 2
    assert find_section("WSJ_2400.pipe") == 24
    assert find_section("GUM_news_wsj") is None
    assert find_section("wsj_12345") is None


@pytest.mark.parametrize(
    ("protocol", "train", "dev", "test"),
    [("lin", range(2, 22), [], [23]), ("ji", range(2, 21), [0, 1], [21, 22])],
)
def test_sections_of_the_papers(protocol: str, train: range, dev: list[int], test: list[int]) -> None:
    split = split_relations(wsj_corpus(), protocol, seed=1)
    assert [sections(split[part]) for part in ("train", "dev", "test")] == [list(train), dev, test]


def test_the_twelve_folds_are_the_published_ones() -> None:
    assert choose_sections(0) == ((0, 1), (23, 24))
    assert choose_sections(1) == ((2, 3), (0, 1))
    assert choose_sections(11) == ((22, 23), (20, 21))
    tested = Counter(section for fold in range(12) for section in choose_sections(fold)[1])
    assert tested == Counter(set(range(25)) - {22})


def test_own_parts_are_kept_with_any_others_there_are() -> None:
    relations = [relation("a", 1), relation("b", 1), relation("c", 1)]
    read = corpus(relations, parts={"a": "train", "b": "blind", "c": "test"})
    split = split_relations(read, "own", seed=1)
    assert {part: [r.document for r in found] for part, found in split.items()} == {
        "train": ["a"],
        "dev": [],
        "test": ["c"],
        "blind": ["b"],
    }
    assert split_relations(read, "GUM", seed=1) == split


def test_a_corpus_without_parts_is_all_training_and_one_with_gaps_says_what_to_do() -> None:
    whole = plain_corpus(2)
    assert split_relations(whole, "own", seed=1) == {"train": list(whole.relations), "dev": [], "test": []}
    with pytest.raises(CorpusError, match="belong to no part, such as 'story1'"):
        split_relations(corpus(plain_corpus(2).relations, parts={"story0": "train"}), "own", seed=1)


@pytest.mark.parametrize("protocol", ["lin", "ji", "cv12-3"])
def test_sections_need_wsj_documents(protocol: str) -> None:
    with pytest.raises(CorpusError, match="'story0' is not"):
        split_relations(plain_corpus(30), protocol, seed=1)


@pytest.mark.parametrize("protocol", ["", "cv", "cv5", "cv5-5", "cv1-0", "cv0-0", "lin2", "cv-1-0"])
def test_unknown_protocols_are_refused(protocol: str) -> None:
    with pytest.raises(SettingsError):
        split_relations(plain_corpus(10), protocol, seed=1)


@given(st.integers(2, 9), st.integers(9, 30), st.integers(0, 5))
def test_folds_over_documents_test_each_document_once(folds: int, documents: int, seed: int) -> None:
    read = plain_corpus(documents)
    tested: list[str] = []
    for fold in range(folds):
        parts = document_parts(read, f"cv{folds}-{fold}", seed=seed)
        assert parts.keys() == read.documents.keys()
        counts = Counter(parts.values())
        assert abs(counts["test"] - documents / folds) < 1
        assert (counts["dev"] > 0) == (folds > 2)
        assert counts["train"] > 0
        tested += [name for name, part in parts.items() if part == "test"]
    assert sorted(tested) == sorted(read.documents)


def test_more_folds_than_documents_are_refused() -> None:
    with pytest.raises(CorpusError, match="3 documents"):
        document_parts(plain_corpus(3), "cv5-0", seed=1)


def test_documents_are_split_into_tenths_by_a_hash_of_their_names() -> None:
    read = plain_corpus(30)
    parts = document_parts(read, "documents", seed=1)
    assert Counter(parts.values()) == {"train": 21, "dev": 3, "test": 6}
    order = sorted(read.documents, key=lambda name: sha256(f"1:{name}".encode()).digest())
    assert [parts[name] for name in order[:4]] == ["test", "test", "dev", "train"]
    assert parts != document_parts(read, "documents", seed=2)
    with pytest.raises(CorpusError, match="3 documents are too few"):
        document_parts(plain_corpus(3), "documents", seed=1)


@pytest.mark.parametrize("protocol", ["documents", "cv5-1", "cv2-0"])
def test_documents_of_one_group_stay_together(protocol: str) -> None:
    read = plain_corpus(40)
    groups = {name: f"source{number // 4}" for number, name in enumerate(read.documents)}
    parts = document_parts(replace(read, groups=groups), protocol, seed=1)
    assert len(set(parts.values())) > 1
    for source in set(groups.values()):
        assert len({parts[name] for name, group in groups.items() if group == source}) == 1


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


def held_out(arg1: str = LONG, arg2: str = "It was late.") -> HeldOutSentences:
    sentences = HeldOutSentences()
    sentences.add(pair_document("held out", arg1, arg2)[0])
    return sentences


@pytest.mark.parametrize(
    ("sentence", "shared"),
    [
        (LONG, True),
        ("the old miller didn’t close the heavy gate of the mill", True),  # noqa: RUF001
        (f"They say: {LONG[:-1]}, and left.", True),  # theirs inside ours
        ("The old miller didn't close the heavy gate", True),  # ours inside theirs
        ("The old miller didn't close the", False),  # seven words
        ("The old miller didn't close the heavy door of the mill.", False),
        ("It was late.", False),
        ("", False),
    ],
)
def test_a_sentence_of_eight_words_is_found_whatever_its_case_and_punctuation(
    sentence: str, shared: bool
) -> None:
    assert held_out().holds(sentence) is shared


@pytest.mark.parametrize(("arg2", "shared"), [(f"We slept. {LONG}", True), ("We slept.", False)])
def test_a_relation_shares_what_its_arguments_lie_in(arg2: str, shared: bool) -> None:
    document, first, second = pair_document("training", "We ate.", arg2)
    relation = Relation("1", "training", RelationKind.IMPLICIT, first, second)
    assert held_out().shares(relation, document) is shared


def test_texts_in_any_order() -> None:
    sentences, again = HeldOutSentences(), HeldOutSentences()
    texts = (f"It rained. {LONG}", OTHER)
    for text, other in zip(texts, reversed(texts), strict=True):
        sentences.add_text(text)
        again.add_text(other)
    assert len(sentences) == 2
    assert sentences.holds(LONG)
    assert sentences.holds(OTHER)
    assert not sentences.holds("It rained.")
    assert sentences.digest == again.digest != held_out().digest


def test_dev_and_test_of_a_corpus_or_all_of_one_without_parts(tmp_path: Path) -> None:
    def evaluated(*parts: str) -> HeldOutSentences:
        rows = [
            {"arg1": text, "arg2": "It was late.", "label": "x", "split": part}
            for text, part in zip((LONG, OTHER), parts, strict=True)
        ]
        file = tmp_path / "pairs.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        sentences = HeldOutSentences()
        sentences.add_evaluated(read_pairs(file))
        return sentences

    assert evaluated("test", "train").holds(LONG)
    assert not evaluated("test", "train").holds(OTHER)
    assert evaluated("train", "dev").holds(OTHER)
    assert evaluated("", "").holds(OTHER)
