"""Every format of word vectors, told apart by content, and what happens when a file is broken."""

from __future__ import annotations

import gzip
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disco2.errors import VectorsError
from disco2.vectors import load_vectors, read_vectors
from tests.vectors.vector_files import (
    MATRIX,
    WORDS,
    fasttext_text,
    glove_text,
    word2vec_binary,
    word2vec_text,
    write,
)

TEXT_FORMATS = {"glove": glove_text(), "word2vec": word2vec_text(), "fasttext": fasttext_text()}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_text_formats_are_told_by_content(tmp_path: Path, name: str, compressed: bool) -> None:
    path = write(tmp_path / "vectors", TEXT_FORMATS[name], compressed=compressed)
    vectors = read_vectors(path)
    assert vectors.words == WORDS  # with "new york", whose space survives
    np.testing.assert_array_equal(vectors.matrix, MATRIX)
    assert vectors.matrix.dtype == np.float32


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("line_feeds", [False, True])
def test_word2vec_binary(tmp_path: Path, line_feeds: bool, compressed: bool) -> None:
    path = write(tmp_path / "vectors", word2vec_binary(line_feeds=line_feeds), compressed=compressed)
    vectors = read_vectors(path)
    assert vectors.words == ("the", "river", "new_york", "naïve")
    np.testing.assert_array_equal(vectors.matrix, MATRIX)


def test_a_fasttext_model_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = write(tmp_path / "model.bin", (793712314).to_bytes(4, "little") + b"rest")
    with pytest.raises(VectorsError, match=r"fastText \.vec"):
        read_vectors(path)


def test_only_wanted_words_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "vectors.txt", glove_text())
    assert read_vectors(path, keep={"naïve", "absent"}, frequent=1).words == ("the", "naïve")
    assert read_vectors(path, keep=set(), frequent=2).words == ("the", "river")


def test_the_first_of_two_rows_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "vectors.txt", b"the 1 2\nthe 3 4\nsea 5 6\n")
    vectors = read_vectors(path)
    assert vectors.words == ("the", "sea")
    np.testing.assert_array_equal(vectors.vector("the"), [1, 2])


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"the 1 2 3\nriver 1 2\nsea 1 2 3\n", ":2:", "2 values where 3 were expected"),
        (b"the 1 2 3\nriver 1 2 3 4\nsea 1 2 3\n", ":2:", "4 values where 3 were expected"),
        (b"the 1 2 3\nriver 1 x2 3\nsea 1 2 3\n", ":2:", "'x2'"),
        (b"the 1 2 3\nriver 1 nan 3\nsea 1 2 3\n", "vectors:", "infinite or not a number"),
        (b"2 3\nthe 1 2 3\nriver 1 2\n", ":3:", "2 values where 3 were expected"),
        (b"3 3\nthe 1 2 3\nriver 1 2 3\n", "vectors:", "promises 3 words, the file ends after 2"),
        (b"", "vectors:", "no vectors"),
        (b"word\nother\n", ":1:", "Vectors of 0 values"),
        (b"\n\n", "vectors:", "no vectors"),
        (b"4 3\n", "vectors:", "promises 4 words"),
    ],
)
def test_broken_text_is_named_with_its_line(tmp_path: Path, content: bytes, line: str, message: str) -> None:
    path = write(tmp_path / "vectors", content)
    with pytest.raises(VectorsError) as caught:
        read_vectors(path)
    assert line in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("cut", [10, 20, 30, -1])
def test_a_binary_file_that_is_cut_off(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path / "vectors.bin", word2vec_binary(line_feeds=False)[:cut])
    with pytest.raises(VectorsError, match=r"Word \d of 4 is not whole"):
        read_vectors(path)


def test_a_damaged_gzip_file(tmp_path: Path) -> None:
    path = write(tmp_path / "vectors.gz", gzip.compress(glove_text())[:-12])
    with pytest.raises(VectorsError, match="can't be read"):
        read_vectors(path)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="can't be read"):
        read_vectors(tmp_path / "absent.txt")
    with pytest.raises(VectorsError, match="can't be read"):
        read_vectors(tmp_path)


@pytest.mark.parametrize("header", [b"", b"2 2\n"])
def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path: Path, header: bytes) -> None:
    file = tmp_path / "v.txt"
    file.write_bytes(b"\xef\xbb\xbf" + header + b"sun 1 2\nmoon 3 4\n")
    assert read_vectors(file).words == ("sun", "moon")


def test_vectors_for_none_of_the_words(tmp_path: Path) -> None:
    file = tmp_path / "v.txt"
    file.write_text("soleil 1 2\nlune 3 4\n")
    options: dict[str, Any] = {"dimensions": 2, "frequent": 10, "sentences": None, "seed": 1}
    assert len(load_vectors(str(file), words={"lune", "moon"}, **options)) == 2
    with pytest.raises(VectorsError, match="another language"):
        load_vectors(str(file), words={"sun", "moon"}, **options)


@pytest.mark.parametrize("content", [b"1 5001\na \0", b"1 5001\na 1 2\n", b"a" + b" 1" * 5_001 + b"\n"])
def test_vectors_too_long_to_work_with(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="5000 are the most"):
        read_vectors(write(tmp_path / "v", content))


@pytest.mark.parametrize("start", [b"", b"1 3\n", b"a 1 2 3\n"])
def test_a_line_without_end_is_not_read_to_its_end(start: bytes, tmp_path: Path) -> None:
    path = write(tmp_path / "v", start + b"a" * 50_000_000, compressed=True)
    tracemalloc.start()
    try:
        with pytest.raises(VectorsError):
            read_vectors(path)
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


def test_too_large_a_value_is_refused_without_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path / "v", b"a 1e39 1\nb 1 2\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(VectorsError, match="infinite"):
            read_vectors(path)
