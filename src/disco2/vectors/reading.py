"""Word vectors for a training: shipped, read from a file, or trained on the corpus at hand.

The format of a file is detected from its content, not from its name.
"""

from __future__ import annotations

import gzip
import os
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from disco2.errors import MissingExtraError, VectorsError
from disco2.settings import Settings, setting
from disco2.vectors.word_vectors import (
    SHIPPED,
    WORD2VEC,
    WordVectors,
    find_reduction,
    forms,
    reduced_shipped,
)

MOST_VALUES = 5_000  # of a word; longer vectors would take all memory
_PREVIEW = 4096
_CONTROL_BYTES = frozenset(range(32)) - frozenset(b"\t\n\r")
_FORMATS = "Files may be GloVe or word2vec text, fastText .vec, or word2vec binary, also with gzip."
_WORD2VEC_EPOCHS, _WORD2VEC_MINIMUM = 20, 2  # passes over the sentences; rarer words get no vector
_FREQUENT_FOR_STATISTICS = 50_000  # so that a file's mean and variance hardly depend on the corpus at hand

Values = NDArray[np.float32]
Wanted = Callable[[int, str], bool]  # the number of a word, counted from 1, and the word


@dataclass(frozen=True)
class VectorSettings(Settings):
    """Source and size of the table of word vectors."""

    source: str = setting(
        "shipped", "shipped: GloVe, comes with the package; word2vec: trained on the corpus; or a file"
    )
    frequent: int = setting(
        50000, "frequent words to keep in the model, beside those that the training relations use", minimum=0
    )


def load_vectors(
    source: str,
    *,
    dimensions: int,
    words: set[str],
    frequent: int,
    sentences: Iterable[list[str]] | None,
    seed: int,
) -> WordVectors:
    """Vectors of ``dimensions`` values, standardised, for ``words`` and the ``frequent`` most frequent ones.

    ``source`` is "shipped", "word2vec" (trained on ``sentences``) or the path of a file. The axes, means and
    variances come from the whole vocabulary that was loaded: of a file, its first 50,000 words and ``words``.
    """
    if source == SHIPPED:
        standard = reduced_shipped(dimensions=dimensions)
    else:
        if source == WORD2VEC:
            loaded = train_word2vec(sentences or (), dimensions=dimensions, seed=seed)
        else:
            path = Path(os.path.expanduser(source))  # noqa: PTH111  which leaves an unknown user's name as it is
            keep = {form for word in words for form in forms(word)}
            loaded = read_vectors(path, keep=keep, frequent=max(frequent, _FREQUENT_FOR_STATISTICS))
        reduction = find_reduction(loaded.matrix, dimensions=dimensions)
        standard = WordVectors(loaded.words, reduction(loaded.matrix))
    if words and all(standard.row(word) is None for word in words):
        raise VectorsError(
            "None of the words that are needed has a vector.",
            where=source,
            hint="Are these vectors for another language?",
        )
    return standard.cut(words=words, frequent=frequent)


def train_word2vec(sentences: Iterable[list[str]], *, dimensions: int, seed: int) -> WordVectors:
    """Train skip-gram vectors of lower-cased words (Mikolov et al. 2013), the most frequent word first.

    The same sentences, settings and seed give the same vectors in every run: one worker, and a hash function
    that does not change with PYTHONHASHSEED.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError:
        raise MissingExtraError("gensim", "word2vec", "Training word vectors") from None
    # A model's words are stored one a line.
    corpus = [[word.lower() for word in words if "\n" not in word] for words in sentences]
    trainer = Word2Vec(
        vector_size=dimensions,
        window=5,
        min_count=_WORD2VEC_MINIMUM,
        negative=5,
        sg=1,
        workers=1,
        seed=seed,
        hashfxn=lambda text: zlib.crc32(text.encode("utf-8", errors="surrogatepass")),
        epochs=_WORD2VEC_EPOCHS,
    )
    trainer.build_vocab(corpus)
    if not trainer.wv.index_to_key:
        raise VectorsError(
            f"No word occurs {_WORD2VEC_MINIMUM} times in the {len(corpus)} sentences to train word2vec on.",
            hint="Give more text, or use the shipped vectors.",
        )
    trainer.train(corpus, total_examples=trainer.corpus_count, epochs=_WORD2VEC_EPOCHS)
    return WordVectors(tuple(trainer.wv.index_to_key), np.array(trainer.wv.vectors, dtype=np.float32))


def read_vectors(path: Path, *, keep: Collection[str] | None = None, frequent: int = 0) -> WordVectors:
    """Read a file of vectors: GloVe text, word2vec text or binary, fastText ``.vec``.

    The file may be compressed with gzip. Only its first ``frequent`` words and those in ``keep`` are kept;
    with ``keep=None``, all of them. If a word occurs twice, its first row counts.
    """
    chosen: dict[str, Values] = {}

    def wanted(number: int, word: str) -> bool:
        needed = keep is None or number <= frequent or word in keep
        return needed and word not in chosen and "\n" not in word  # a model's words are stored one a line

    try:
        with path.open("rb") as file:
            compressed = file.read(2) == b"\x1f\x8b"
        with cast("BinaryIO", gzip.open(path, "rb")) if compressed else path.open("rb") as stream:
            preview = stream.read(_PREVIEW)
            stream.seek(0)
            read_rows = _binary_rows if _is_word2vec_binary(preview) else _text_rows
            for word, values in read_rows(stream, wanted, str(path)):
                if not np.isfinite(values).all():
                    raise _error(f"A value of '{word}' is infinite or not a number.", str(path))
                chosen[word] = values.astype(np.float32)  # a copy, not a view of the file's bytes
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise VectorsError(
            f"The word vectors can't be read: {error}.",
            hint=f'Give the path of a whole file, "{SHIPPED}", or "{WORD2VEC}".',
        ) from error
    if not chosen:
        raise _error("There are no vectors in this file for the words that are needed.", str(path))
    return WordVectors(tuple(chosen), np.stack(list(chosen.values())))


def _error(what: str, where: str) -> VectorsError:
    return VectorsError(what, where=where, hint=_FORMATS)


def _is_word2vec_binary(preview: bytes) -> bool:
    """Whether a header is followed by bytes that no text has."""
    line, _, rest = preview.partition(b"\n")
    if _parse_header(line) is None:
        return False
    if any(byte in _CONTROL_BYTES for byte in rest):
        return True
    try:
        rest.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start < len(rest) - 4  # the preview's end may cut a character of a text in two
    return False


def _parse_header(line: bytes) -> tuple[int, int] | None:
    """The counts of words and of values a word, if the line is a word2vec header."""
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 12 for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def _check_size(size: int, where: str) -> None:
    if not 0 < size <= MOST_VALUES:
        raise _error(f"Vectors of {size} values can't be used; {MOST_VALUES} are the most.", where)


_LONGEST_LINE = 1 << 20  # bytes; of a longer one, each such piece counts as a line


def _text_rows(stream: BinaryIO, wanted: Wanted, name: str) -> Iterator[tuple[str, Values]]:
    """Vectors as text, one word a line: GloVe (no header), word2vec and fastText (header ``count size``).

    Lines end at a line feed only, since a word may be one of Unicode's other line breaks. The last values of
    a line are the vector and the rest is the word, because GloVe's 840B file has words with spaces.
    """
    count = expected = size = 0
    for number, line in enumerate(iter(partial(stream.readline, _LONGEST_LINE), b""), start=1):
        where = f"{name}:{number}"
        if number == 1 and (header := _parse_header(line.removeprefix(BOM_UTF8))):
            expected, size = header
            _check_size(size, where)
        elif line.strip():
            fields = (line if number > 1 else line.removeprefix(BOM_UTF8)).rstrip().split(b" ")
            if not size:
                size = len(fields) - 1
                _check_size(size, where)
            word, given = fields[:-size], fields[-size:]
            if not word or any(map(_is_number, word[1:])):
                raise _error(f"{len(fields) - 1} values where {size} were expected.", where)
            count += 1
            form = b" ".join(word).decode("utf-8", errors="replace")
            if wanted(count, form):
                try:
                    with np.errstate(over="ignore"):  # what becomes infinite is refused
                        values = np.array(given, dtype=np.float32)
                except ValueError as error:
                    raise _error(f"A value is not a number: {error}.", where) from None
                yield form, values
    if count < expected:
        raise _error(f"The header promises {expected} words, the file ends after {count}.", name)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


_CHUNK = 1 << 22
_LONGEST_WORD = 1 << 16


def _binary_rows(stream: BinaryIO, wanted: Wanted, name: str) -> Iterator[tuple[str, Values]]:
    """Vectors as word2vec's binary file: a line ``count size``, then for each word its bytes, a space, and
    ``size`` float32 values, least significant byte first. Some writers put a line feed after the values.
    """
    count, size = _parse_header(stream.readline(_LONGEST_WORD)) or (0, 0)
    _check_size(size, name)
    width = size * 4
    buffer, at = b"", 0
    for number in range(1, count + 1):
        end = buffer.find(b" ", at)
        while end < 0 or len(buffer) < end + 1 + width:
            chunk = stream.read(_CHUNK)
            buffer, at = buffer[at:] + chunk, 0
            end = buffer.find(b" ")
            if not chunk or (len(buffer) if end < 0 else end) > _LONGEST_WORD:
                raise _error(f"Word {number} of {count} is not whole, or there is none.", name)
        word = buffer[at:end].lstrip(b"\n").decode("utf-8", errors="replace")
        if wanted(number, word):
            yield word, np.frombuffer(buffer, dtype="<f4", count=size, offset=end + 1)
        at = end + 1 + width
