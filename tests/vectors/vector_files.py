"""Tiny files of vectors in every format, written by the tests."""

from __future__ import annotations

import gzip
import struct
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


def fasttext_model(*, buckets: int = 2) -> bytes:
    """A fastText model of the words and so many rows for their parts, as its program writes it."""
    words, dimensions = [word.replace(" ", "_") for word in WORDS], MATRIX.shape[1]
    # Behind the dimensions stand window, passes, least count, negatives, n-grams, loss and kind; behind the
    # buckets the lengths of parts, rate and threshold.
    header = struct.pack("<2i12id", 793712314, 12, dimensions, 5, 5, 1, 5, 1, 2, 2, buckets, 3, 6, 100, 1e-4)
    listed = struct.pack("<3i2q", len(words), len(words), 0, 100, -1)
    listed += b"".join(word.encode() + b"\0" + struct.pack("<qb", 9 - n, 0) for n, word in enumerate(words))
    rows = np.vstack([MATRIX, np.ones((buckets, dimensions), dtype=np.float32)])
    tables = [rows, MATRIX]  # of inputs and of outputs
    return (
        header
        + listed
        + b"".join(
            struct.pack("<?2q", False, *table.shape) + table.astype("<f4").tobytes() for table in tables
        )
    )


def write(path: Path, content: bytes, *, compressed: bool = False) -> Path:
    path.write_bytes(gzip.compress(content) if compressed else content)
    return path
