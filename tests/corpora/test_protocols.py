from __future__ import annotations

from collections import Counter
from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.corpora.protocols import (
    document_parts,
    section_fold,
    split_relations,
    wsj_section,
)
from disco2.errors import CorpusError, SettingsError
from disco2.records import Corpus, Relation
from tests.corpora.made_up import corpus, relation, wsj_corpus


def sections(relations: list[Relation]) -> list[int | None]:
    return [wsj_section(relation.document) for relation in relations]


def plain_corpus(documents: int) -> Corpus:
    return corpus([relation(f"story{number}", 1) for number in range(documents)])


def test_sections_are_the_digits_after_wsj() -> None:
    assert wsj_section("wsj_0203") == 2
    assert wsj_section("WSJ_2400.pipe") == 24
    assert wsj_section("GUM_news_wsj") is None
    assert wsj_section("wsj_12345") is None


def test_lin_trains_on_2_to_21_and_tests_on_23() -> None:
    split = split_relations(wsj_corpus(), "lin", seed=1)
    assert sections(split["train"]) == list(range(2, 22))
    assert sections(split["dev"]) == []
    assert sections(split["test"]) == [23]


def test_ji_trains_on_2_to_20_and_tests_on_21_and_22() -> None:
    split = split_relations(wsj_corpus(), "ji", seed=1)
    assert sections(split["train"]) == list(range(2, 21))
    assert sections(split["dev"]) == [0, 1]
    assert sections(split["test"]) == [21, 22]


@pytest.mark.parametrize("fold", range(12))
def test_each_of_the_twelve_folds_covers_all_sections_once(fold: int) -> None:
    split = split_relations(wsj_corpus(), f"cv12-{fold}", seed=1)
    assert sorted(s for part in split.values() for s in sections(part) if s is not None) == list(range(25))
    assert [len(split[part]) for part in ("train", "dev", "test")] == [21, 2, 2]


def test_the_twelve_folds_are_the_published_ones() -> None:
    assert section_fold(0) == ((0, 1), (23, 24))
    assert section_fold(1) == ((2, 3), (0, 1))
    assert section_fold(11) == ((22, 23), (20, 21))
    tested = Counter(section for fold in range(12) for section in section_fold(fold)[1])
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


def test_folds_depend_on_the_seed_alone() -> None:
    read = plain_corpus(20)
    backwards = corpus(read.relations[::-1])
    assert document_parts(read, "cv5-0", seed=1) == document_parts(backwards, "cv5-0", seed=1)
    assert document_parts(read, "cv5-0", seed=1) != document_parts(read, "cv5-0", seed=2)


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
