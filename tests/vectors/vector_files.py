"""Tiny files of vectors in every format, written by the tests."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

TABLE = {
    "the": [0.5, -1.25, 2.0],
    "river": [1.0, 0.25, -0.125],
    "new york": [-3.0, 4.0, 0.0625],
    "naïve": [0.0, 1.5, -2.5],
}
WORDS = tuple(TABLE)
MATRIX = np.array(list(TABLE.values()), dtype=np.float32)


def glove_text() -> bytes:
    return "".join(f"{word} {' '.join(map(str, values))}\n" for word, values in TABLE.items()).encode()


def word2vec_text() -> bytes:
    return b"4 3\n" + glove_text()


def fasttext_text() -> bytes:
    return b"4 3\n" + glove_text().replace(b"\n", b" \n")  # fastText leaves a space at the end of each line


def word2vec_binary(*, line_feeds: bool) -> bytes:
    words = [word.replace(" ", "_") for word in WORDS]  # a space ends the word in this format
    end = b"\n" if line_feeds else b""
    rows = [
        word.encode() + b" " + row.astype("<f4").tobytes() + end
        for word, row in zip(words, MATRIX, strict=True)
    ]
    return b"4 3\n" + b"".join(rows)


def write(path: Path, content: bytes, *, compressed: bool = False) -> Path:
    path.write_bytes(gzip.compress(content) if compressed else content)
    return path
