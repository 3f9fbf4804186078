"""Looking up, reducing, making again, and training word vectors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disco2.errors import VectorsError
from disco2.vectors import WordVectors, load_vectors
from disco2.vectors.word_vectors import TABLE, find_reduction, read_shipped, stand_ins, train_word2vec
from tests.vectors.vector_files import glove_text, write

SENTENCES = [
    ["The", "cat", "slept", "on", "the", "mat"],
    ["A", "dog", "slept", "near", "the", "cat"],
    ["The", "dog", "saw", "a", "cat", "on", "a", "mat"],
] * 4


def vectors_of(*words: str) -> WordVectors:
    return WordVectors(words, np.arange(len(words) * 2, dtype=np.float32).reshape(-1, 2))


def test_exact_then_lower_case_then_stand_in() -> None:
    vectors = vectors_of("us", "US", "would", "mr", "--")
    assert vectors.row("US") == 1
    assert vectors.row("Us") == 0
    assert vectors.row("'d") == 2
    assert vectors.row("\u2019d") == 2
    assert vectors.row("Mr.") == 3
    assert vectors.row("—") == 4
    assert vectors.row("absent") is None
    np.testing.assert_array_equal(vectors.vector("absent"), [0, 0])


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("1,250.5", ("10", "ten")),
        ("10:30", ("10", "ten")),
        (".5", ("10", "ten")),
        ("1987", ("2008", "mid-1990s")),
        ("2150", ("10", "ten")),
        ("mrs.", ("mrs",)),
        ("etc.", ("etc",)),
        ("e.g.", ("e.g.",)),
        ("CAT", ("cat",)),
        ("n\u2019t", ("n't", "not")),
        ("No.", ("no.", "number")),
        ("", ("",)),
    ],
)
def test_stand_ins(word: str, expected: tuple[str, ...]) -> None:
    assert stand_ins(word) == expected


def test_a_cut_leaves_every_look_up_as_it_was() -> None:
    vectors = vectors_of("of", "the", "would", "cat", "2008", "rest")
    needed = ["The", "'d", "1999", "unknown"]
    smaller = vectors.cut(words=needed, frequent=1)
    assert smaller.words == ("of", "the", "would", "2008")
    for word in needed:
        np.testing.assert_array_equal(smaller.vector(word), vectors.vector(word))


def test_words_and_matrix_must_fit() -> None:
    with pytest.raises(VectorsError, match="do not fit"):
        WordVectors(("a",), np.zeros((2, 3), dtype=np.float32))
    with pytest.raises(VectorsError, match="1 different words"):
        WordVectors(("a", "a"), np.zeros((2, 3), dtype=np.float32))


def test_the_shipped_vectors_know_frequent_words() -> None:
    vectors = read_shipped()
    assert vectors.matrix.shape == (50_000, 100)
    clitics = ["'s", "n't", "'re", "'ve", "'m", "'ll", "'d"]
    punctuation = ["--", "\u2013", "\u2014", "``", "''", '"', "(", ")", "...", ",", "."]
    words = ["a", "I", *clitics, *punctuation, "U.S.", "Mr.", "1987", "3.5", "hungry", "burger", "Tina"]
    assert [word for word in words if vectors.row(word) is None] == []
    # The numbers of the first row in the published file, to float16's precision.
    np.testing.assert_allclose(vectors.vector("the")[:3], [-0.038194, -0.24487, 0.72812], rtol=1e-3)
    assert all(vectors.row(targets[-1]) is not None for targets in TABLE.values())


def test_shipped_source_is_reduced_and_standard_over_all_its_words() -> None:
    load = {"frequent": 50_000, "sentences": None, "seed": 1}
    everything = load_vectors("shipped", dimensions=20, words=set(), **load)
    np.testing.assert_allclose(everything.matrix.mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(everything.matrix.std(axis=0), 1, atol=1e-4)
    few = load_vectors("shipped", dimensions=20, words={"Tina", "hungry"}, **load | {"frequent": 3})
    assert len(few) == 5
    np.testing.assert_array_equal(few.vector("Tina"), everything.vector("tina"))
    again = load_vectors("shipped", dimensions=20, words={"Tina", "hungry"}, **load | {"frequent": 3})
    assert again.words == few.words
    np.testing.assert_array_equal(again.matrix, few.matrix)


def test_file_source_keeps_what_is_looked_up(tmp_path: Path) -> None:
    path = write(tmp_path / "vectors.txt", glove_text())
    vectors = load_vectors(
        str(path), dimensions=2, words={"The", "absent"}, frequent=0, sentences=None, seed=1
    )
    assert vectors.words == ("the",)
    assert vectors.dimensions == 2


def test_impossible_sources(tmp_path: Path) -> None:
    common = {"words": {"the"}, "frequent": 1, "sentences": None, "seed": 1}
    with pytest.raises(VectorsError, match="can't be read"):
        load_vectors(str(tmp_path / "absent"), dimensions=2, **common)
    with pytest.raises(VectorsError, match="have 100"):
        load_vectors("shipped", dimensions=101, **common)


def test_word2vec_source() -> None:
    pytest.importorskip("gensim")
    vectors = load_vectors(
        "word2vec", dimensions=6, words={"Cat", "unseen"}, frequent=2, sentences=iter(SENTENCES), seed=7
    )
    assert vectors.words[0] == "the"  # the most frequent
    assert vectors.row("Cat") is not None
    assert vectors.dimensions == 6


def test_too_little_text_for_word2vec() -> None:
    pytest.importorskip("gensim")
    with pytest.raises(VectorsError, match="No word occurs"):
        train_word2vec([["one", "two"]], dimensions=4, seed=1)
    with pytest.raises(VectorsError, match="No word occurs"):
        train_word2vec([], dimensions=4, seed=1)


def test_word2vec_is_the_same_in_every_process() -> None:
    pytest.importorskip("gensim")
    program = (
        "from disco2.vectors.word_vectors import train_word2vec\n"
        "from tests.vectors.test_word_vectors import SENTENCES\n"
        "v = train_word2vec(SENTENCES, dimensions=5, seed=3)\n"
        "print(v.words, v.matrix.tobytes().hex())\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            cwd=Path(__file__).resolve().parents[2],
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(outputs) == 1
    here = train_word2vec(SENTENCES, dimensions=5, seed=3)
    assert f"{here.words} {here.matrix.tobytes().hex()}\n".encode() in outputs
    assert not np.array_equal(here.matrix, train_word2vec(SENTENCES, dimensions=5, seed=4).matrix)


def matrices(seed: int, rows: int, columns: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return (generator.normal(size=(rows, columns)) @ generator.normal(size=(columns, columns)) + 3.0).astype(
        np.float32
    )


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), columns=st.integers(2, 8), data=st.data())
def test_columns_are_standard_and_uncorrelated(seed: int, columns: int, data: st.DataObject) -> None:
    dimensions = data.draw(st.integers(1, columns - 1))
    values = matrices(seed, 60, columns)
    reduced = find_reduction(values, dimensions=dimensions)(values)
    assert reduced.shape == (60, dimensions)
    assert reduced.dtype == np.float32
    np.testing.assert_allclose(reduced.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(reduced.T @ reduced / 60, np.eye(dimensions), atol=1e-3)


@pytest.mark.parametrize("dimensions", [1, 4, 6])
def test_a_reduction_is_the_whole_calculation(dimensions: int) -> None:
    """Against the formulas, all rows at once; some rows alone give the same."""
    values = matrices(6, 9000, 6)  # more rows than are done at a time
    values[:, 2] = 5.0
    exact = values.astype(np.float64)
    reduction = find_reduction(values, dimensions=dimensions)
    if dimensions < 6:
        exact = (exact - exact.mean(axis=0)) @ reduction.axes
    deviation = exact.std(axis=0)
    deviation[deviation < 1e-9] = np.inf
    expected = ((exact - exact.mean(axis=0)) / deviation).astype(np.float32)
    np.testing.assert_allclose(reduction(values), expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(reduction(values[:100]), reduction(values)[:100], rtol=0, atol=1e-6)
    assert (reduction.axes is None) == (dimensions == 6)
