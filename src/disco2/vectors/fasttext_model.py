"""fastText's models (``.bin``), by way of gensim, which believes whatever a file says of itself.

A file that ends too early gensim would read for ever, so the file is looked through first.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np

from disco2.errors import MissingExtraError, VectorsError
from disco2.vectors.selection import Selection
from disco2.vectors.text_format import check_size

MAGIC = struct.pack("<i", 793712314)
LONGEST_WORD = 10_000  # bytes; a word is all that stands between two spaces, and may be long on the web
LONGEST_PART = 50  # characters; fastText looks at parts of words of three to six
_CHUNK = 1 << 20


def read_fasttext_model(path: Path, *, selection: Selection) -> None:
    """Add the words of a fastText model to ``selection``: whole words only, none made up from their parts."""
    try:
        from gensim.models.fasttext import load_facebook_vectors
    except ImportError:
        raise MissingExtraError("gensim", "word2vec", "Reading a fastText model (.bin)") from None
    try:
        with path.open("rb") as stream:
            _check(stream, os.fstat(stream.fileno()).st_size, name=str(path))
        with np.errstate(over="ignore", invalid="ignore"):  # what becomes infinite is refused below
            vectors = load_facebook_vectors(str(path))
    except VectorsError:
        raise
    except Exception as error:  # gensim lets whatever goes wrong inside it out
        raise VectorsError(
            f"The fastText model can't be read ({error.__class__.__name__}: {error}).",
            where=str(path),
            hint="Fetch the file again, or use the .vec file that comes with it.",
        ) from error
    for word in vectors.index_to_key:
        if selection.wants(word):
            selection.add(word, _finite(vectors[word], where=str(path)))
        if selection.complete():
            return


def _check(stream: BinaryIO, size: int, *, name: str) -> None:
    """Raise ValueError where the file has not what it declares; it is read up to its table."""
    _magic, _version, dimensions, *settings = _unpacked(stream, "<14i")
    _time, words, _own_words, _labels, _tokens, pruned = _unpacked(stream, "<d3i2q")
    longest_part = settings[9]
    check_size(dimensions, where=name)
    if dimensions < 1 or words < 0 or longest_part > LONGEST_PART:
        raise ValueError("its header makes no sense")
    position = _behind_words(stream, words)
    position += 8 * max(pruned, 0)
    stream.seek(min(position, size))
    quantised, rows, columns = _unpacked(stream, "<?2q")
    if quantised:
        raise ValueError("it is quantised, as .ftz files are")
    if columns != dimensions or rows < 1 or rows * columns * 4 > size - stream.tell():
        raise ValueError("it ends before its table does")


def _behind_words(stream: BinaryIO, words: int) -> int:
    """The place behind the words: each its bytes, a nought, how often it was seen, and its kind."""
    start, buffer, at = stream.tell(), b"", 0
    for _ in range(words):
        end = buffer.find(b"\0", at)
        if end < 0 or end + 10 > len(buffer):
            start, buffer, at = start + at, buffer[at:] + stream.read(_CHUNK), 0
            end = buffer.find(b"\0")
            if end < 0 or end + 10 > len(buffer):
                raise ValueError("it ends among its words")
        if end - at > LONGEST_WORD:
            raise ValueError(f"a word has more than {LONGEST_WORD} bytes")
        at = end + 10
    return start + at


def _unpacked(stream: BinaryIO, layout: str) -> tuple[int, ...]:
    size = struct.calcsize(layout)
    content = stream.read(size)
    if len(content) < size:
        raise ValueError("it ends in its header")
    return struct.unpack(layout, content)


def _finite(values: object, *, where: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    vector = np.asarray(values, dtype=np.float32)
    if not np.isfinite(vector).all():
        raise VectorsError("A value is infinite or not a number.", where=where, hint="Fetch the file again.")
    return vector
