"""Files of word vectors in every format that is told by its content."""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path

import numpy as np

from disco2.vectors import WordVectors, load_vectors, read_vectors
from tests.fuzzing.target import Target, scratch_folder
from tests.vectors.vector_files import (
    fasttext_model,
    fasttext_text,
    glove_text,
    word2vec_binary,
    word2vec_text,
)

MOST_REDUCED = 20  # dimensions; the time to find the axes grows with their cube


def read_vector_file(content: bytes, *, compressed: bool = False) -> None:
    """All of it, and as training reads it: for some words, reduced to a few dimensions."""
    with scratch_folder() as folder:
        file = folder / "vectors"
        file.write_bytes(gzip.compress(content, 1) if compressed else content)
        vectors = read_vectors(file)
        assert len(vectors.words) == len(vectors.matrix) > 0
        assert np.isfinite(vectors.matrix).all()
        if vectors.dimensions <= MOST_REDUCED:
            _reduce(file, vectors)


def _reduce(file: Path, vectors: WordVectors) -> None:
    known = {vectors.words[0], "unheard-of"}
    reduced = load_vectors(
        str(file), dimensions=min(2, vectors.dimensions), words=known, frequent=3, sentences=None, seed=1
    )
    assert np.isfinite(reduced.matrix).all()


_TOKENS = (
    b"4 3\n",
    b"99999999999 1\n",
    b"1 99999999999\n",
    *b"nan inf 1e39 -0".split(),
    b" ",
    b"\n",
    b"\xef\xbb\xbf",
)

TARGETS = (
    Target(
        "vectors-text",
        read_vector_file,
        (glove_text(), word2vec_text(), fasttext_text()),
        (*_TOKENS, b"1_0", b"0x1", "\u0661".encode(), "\u2028".encode(), b"\r\n"),
    ),
    Target(
        "vectors-binary",
        read_vector_file,
        (word2vec_binary(line_feeds=False), word2vec_binary(line_feeds=True)),
        (*_TOKENS, b"\x00\x00\x80\x7f", b"\x00\x00\xc0\x7f", b"\x00\x00\x00\x00"),
    ),
    Target(
        "vectors-compressed",
        read_vector_file,
        (gzip.compress(glove_text(), mtime=0), gzip.compress(word2vec_binary(line_feeds=True), mtime=0)),
        (b"\x1f\x8b\x08", b"\x00\x00\x00\x00", b"\xff\xff\xff\xff"),
    ),
    Target(
        "vectors-fasttext",
        read_vector_file,
        (fasttext_model(),),
        (
            b"\xff\xff\xff\xff",
            b"\xff\xff\xff\x7f",
            b"\x00\x00\x00\x00",
            b"\x01\x00\x00\x00",
            b"\x00\x00\x80\x7f",
        ),
    ),
    Target(
        "vectors-inside-gzip",
        partial(read_vector_file, compressed=True),
        (glove_text(), word2vec_binary(line_feeds=True)),
        _TOKENS,
    ),
)
