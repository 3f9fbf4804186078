"""Counts over a corpus, on made-up pairs and on GUM where it is present."""

from __future__ import annotations

from pathlib import Path

import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.role_pairs import write_role_pairs
from disco2.errors import CorpusError
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import CorpusStatistics, corpus_statistics, divide


def statistics(name: str, path: Path, *, only: str = "") -> CorpusStatistics:
    corpus = read_corpus(name, path)
    return corpus_statistics(corpus, divide(corpus, Configuration()), only=only)


def test_role_pairs_are_counted_by_part(tmp_path: Path) -> None:
    write_role_pairs(tmp_path / "c", size=50, seed=1)
    found = statistics("role-pairs", tmp_path / "c").to_json()
    assert {part: counts["implicit"] for part, counts in found["splits"].items()} == {
        "train": 50,
        "dev": 10,
        "test": 10,
    }
    assert all(counts["shared_entities"] == 1.0 for counts in found["splits"].values())
    assert found["splits"]["dev"]["senses"] == {"Comparison.Concession": 5, "Contingency.Cause": 5}
    assert list(statistics("role-pairs", tmp_path / "c", only="dev").parts) == ["dev"]
    with pytest.raises(CorpusError, match="train, dev, test"):
        statistics("role-pairs", tmp_path / "c", only="all")


def test_what_was_dropped_is_counted_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    rows = [f'"It rained {i}.","We left.",{"AB"[i % 2]},train' for i in range(6)] + ['"Hm.","So.",,train']
    file.write_text("arg1,arg2,label,split\n" + "\n".join(rows) + "\n", encoding="utf-8")
    part = statistics("pairs", file).parts["train"]
    assert (part.implicit, part.kept) == (7, 6)
    assert dict(part.dropped) == {"no sense": 1}
    assert part.with_shared_entities == 0


def test_gum(gum: Path) -> None:
    found = statistics("gum", gum).to_json()
    splits = found["splits"]
    assert [splits[part]["implicit"] for part in ("train", "dev", "test")] == [3347, 556, 571]
    assert [splits[part]["kept"] for part in ("train", "dev", "test")] == [3337, 555, 565]
    shares = [splits[part]["shared_entities"] for part in ("train", "dev", "test")]
    assert shares == pytest.approx([0.54, 0.52, 0.52], abs=0.01)
    assert len(found["labels"]) == 12
    assert found["dirt"] == {"NoRel as a sense": 5, "kind as a sense": 1, "misspelt sense": 1}
