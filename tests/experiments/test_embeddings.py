"""The map of word vectors and the table of nearest words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disco2.data import Corpus
from disco2.experiments.bench import Bench
from disco2.experiments.configuration import Configuration
from disco2.experiments.embeddings import EMBEDDINGS, neighbours_table, word_map
from disco2.vectors import WordVectors

pytest.importorskip("sklearn")


def vectors_of(words: list[str], *, seed: int = 1) -> WordVectors:
    """Random vectors, but "he" and "she" are nearly one."""
    matrix = np.random.default_rng(seed).standard_normal((len(words), 8)).astype(np.float32)
    if "he" in words and "she" in words:
        matrix[words.index("she")] = matrix[words.index("he")] + 0.01
    return WordVectors(tuple(words), matrix)


WORDS = ["he", "she", "but", "said", *(f"w{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")]
COUNTS = {word: 100 - place for place, word in enumerate(WORDS)}


def test_frequent_words_and_words_of_interest() -> None:
    figure = word_map(vectors_of(WORDS), COUNTS | {"unknown": 500, ".": 900, "7": 800}, words=10)
    found = {word.word: word for word in figure.words}
    # ".", "7" and "unknown" have no letter or no vector; eight frequent words are left of ten.
    assert set(found) == {"he", "she", "but", "said", "wa", "wb", "wc", "wd", "we"}
    assert {word: found[word].group for word in ("he", "but", "said", "wa")} == {
        "he": "pronouns",
        "but": "connectives",
        "said": "verbs of saying",
        "wa": "",
    }
    rare = word_map(vectors_of(WORDS), COUNTS, words=2)
    assert {word.word for word in rare.words} >= {"but", "said"}, "of interest, though not among the two"


def test_a_word_that_only_stands_in_is_not_shown_twice() -> None:
    words = ["an", "me", *WORDS]
    figure = word_map(vectors_of(words), {**COUNTS, "a": 900, "an": 50, "i": 800, "me": 40, "ME": 1})
    names = [word.word for word in figure.words]
    assert "an" in names
    assert "me" in names
    assert not {"a", "i", "ME"} & set(names)


def test_neighbours_by_the_cosine() -> None:
    table = neighbours_table(vectors_of(WORDS), COUNTS)
    assert [row[:2] for row in table.rows] == [("he", 100), ("she", 99), ("but", 98), ("said", 97)]
    vectors = vectors_of(WORDS)
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    for row in table.rows:
        cosines = {word: float(unit[WORDS.index(word)] @ unit[WORDS.index(str(row[0]))]) for word in WORDS}
        best = sorted((word for word in WORDS if word != row[0]), key=lambda word: -cosines[word])[:5]
        assert row[2] == ", ".join(f"{word} {cosines[word]:.2f}" for word in best)
    assert str(table.rows[0][2]).startswith("she 1.00")


def test_findings_use_the_vectors_of_the_model(role_pairs: Corpus, tmp_path: Path) -> None:
    words = {token.text.lower() for one in role_pairs.documents.values() for token in one.tokens}
    generator = np.random.default_rng(1)
    lines = [
        f"{word} {' '.join(f'{value:.4f}' for value in generator.standard_normal(6))}"
        for word in sorted(words)
    ]
    (tmp_path / "v.txt").write_text("\n".join(lines), encoding="utf-8")
    configuration = Configuration().changed({"vectors.source": str(tmp_path / "v.txt"), "model.K": 4})
    bench = Bench({"own": role_pairs}, configuration, seeds=(1,))
    findings = EMBEDDINGS.describe(bench, {})
    assert findings.name == "embeddings"
    assert {word.word for word in findings.figures[0].words} == words - {".", ","}
    assert findings.data == {"source": "v.txt", "K": 4, "words": len(words) - 2}
    assert "K = 4" in findings.words[0]
    assert str(tmp_path) not in findings.words[0]
    assert EMBEDDINGS.describe(bench, {}) == findings
