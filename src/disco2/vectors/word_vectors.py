"""Word vectors: shipped with the package, read from a file, or trained; their look-up and reduction."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from disco2.errors import BundleError, MissingExtraError, VectorsError
from disco2.files import read_listed_files
from disco2.settings import Settings, setting
from disco2.threads import single_threaded

# A word, and the words whose vectors may stand in for it.
_TABLE = """
a an | i me | 's its | n't not | 'm am | 're are | 've have | 'll will | 'd would | -- - | – -- - | — -- - |
― -- - | ... … | `` " | '' " | -lrb- ( | -rrb- ) | -lsb- [ | -rsb- ] | -lcb- { | -rcb- } |
u.s. america | a.m. morning | p.m. afternoon | no. number
"""  # noqa: RUF001  an en dash
TABLE = {word: tuple(others) for word, *others in map(str.split, _TABLE.split("|"))}

_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")
_NUMERAL = re.compile(r"[+-]?[0-9][0-9.,:/]*|[.][0-9]+")
_ABBREVIATION = re.compile(r"[^\W\d_]{2,}[.]")


def stand_ins(word: str) -> tuple[str, ...]:
    """The words whose vectors may stand in for ``word``, the best first.

    Rules, after the table: a typographic apostrophe is a plain one; years and other numerals share one vector
    each; an abbreviation with a single final full stop is looked up without it (``mr.`` as ``mr``).
    """
    plain = word.lower().replace("’", "'")  # noqa: RUF001
    if plain in TABLE:
        return (plain, *TABLE[plain])
    if _YEAR.fullmatch(plain):
        return ("2008", "mid-1990s")
    if _NUMERAL.fullmatch(plain):
        return ("10", "ten")
    if _ABBREVIATION.fullmatch(plain):
        return (plain[:-1],)
    return (plain,)


def forms(word: str) -> tuple[str, ...]:
    """The keys under which a word is looked up, in order: itself, lower-case, stand-ins."""
    return tuple(dict.fromkeys((word, word.lower(), *stand_ins(word))))


Doubles = NDArray[np.float64]
_ROWS_AT_A_TIME = 4096  # so that temporary arrays stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Reduction:
    """x -> ((x - centre) W - mean) / deviation, from D dimensions to K; without W, (x - mean) / deviation.

    All that is needed to reduce the same table again, to the same digits.
    """

    mean: Doubles  # [K]
    deviation: Doubles  # [K]; zero for a column without variance, which becomes zero
    centre: Doubles | None = None  # [D]
    axes: Doubles | None = None  # [D, K]: W, the principal axes

    @single_threaded()
    def __call__(self, matrix: NDArray[np.floating]) -> NDArray[np.float32]:
        """Shapes: [n, D] -> [n, K]. Everything but the result is in double precision."""
        reduced = np.empty((len(matrix), len(self.mean)), dtype=np.float32)
        constant = self.deviation == 0
        divisor = np.where(constant, 1.0, self.deviation)
        for begin in range(0, len(matrix), _ROWS_AT_A_TIME):
            rows = matrix[begin : begin + _ROWS_AT_A_TIME].astype(np.float64)
            if self.axes is not None and self.centre is not None:
                rows = (rows - self.centre) @ self.axes
            rows -= self.mean
            rows /= divisor
            rows[:, constant] = 0.0
            reduced[begin : begin + len(rows)] = rows
        return reduced


@single_threaded()  # or the last digit depends on the number of threads
def find_reduction(matrix: NDArray[np.float32], *, dimensions: int) -> Reduction:
    """To principal components, if [n, D] has more columns than ``dimensions``; standardised in any case.

    Mean and variance are over the n rows (LeCun et al. 2012). An eigenvector's sign is arbitrary; here its
    largest entry is positive, so that every run agrees.
    """
    size = matrix.shape[1]
    if dimensions > size:
        raise VectorsError(
            f"{dimensions} dimensions were asked for, the word vectors have {size}.",
            hint=f"Ask for {size} or fewer, or choose larger vectors.",
        )
    values = matrix.astype(np.float64)
    if dimensions == size:
        return Reduction(*mean_and_deviation(values))
    centre = values.mean(axis=0)
    centred = values - centre
    _, eigenvectors = np.linalg.eigh(centred.T @ centred / len(centred))  # ascending eigenvalues
    axes = eigenvectors[:, ::-1][:, :dimensions]
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.where(axes[largest, np.arange(dimensions)] < 0, -1.0, 1.0)
    return Reduction(*mean_and_deviation(centred @ axes), centre, axes)


def mean_and_deviation(values: Doubles) -> tuple[Doubles, Doubles]:
    """Of each column; the deviation is zero if it is only a rounding error."""
    mean = values.mean(axis=0)
    deviation = (values - mean).std(axis=0)
    constant = deviation <= 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0)))
    return mean, np.where(constant, 0.0, deviation)


@dataclass(frozen=True, eq=False)
class Recipe:
    """The shipped vectors with this digest, reduced, and of them some rows; see ``make_table``."""

    digest: str
    reduction: Reduction
    rows: NDArray[np.int32] | None = None  # ascending; None for all


@dataclass(frozen=True)
class WordVectors:
    """``matrix[i]`` is the vector of ``words[i]``; the words are unique, the most frequent first.

    A word is looked up as it is written, then in lower case, then by its stand-ins. Where
    the table was made from the shipped vectors, ``recipe`` says how.
    """

    words: tuple[str, ...]
    matrix: NDArray[np.float32]  # [len(words), dimensions]
    recipe: Recipe | None = None

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or not len(self.matrix) == len(self.words) == len(self._rows):
            raise VectorsError(
                f"{len(self._rows)} different words do not fit a matrix of shape {self.matrix.shape}.",
                hint="Each word needs one row.",
            )

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimensions(self) -> int:
        return int(self.matrix.shape[1])

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def row(self, word: str) -> int | None:
        """The row of the matrix that a word's look-up ends at; None for an unknown word."""
        rows = self._rows
        if word in rows:  # most are; their other forms are not made
            return rows[word]
        return next((rows[form] for form in forms(word) if form in rows), None)

    def vector(self, word: str) -> NDArray[np.float32]:
        """The word's vector; zeros for an unknown word, which is the mean once they are standardised."""
        row = self.row(word)
        return np.zeros(self.dimensions, dtype=np.float32) if row is None else self.matrix[row]

    def cut(self, *, words: Iterable[str], frequent: int) -> WordVectors:
        """The same vectors for the ``frequent`` first words and those that a look-up of ``words`` ends at."""
        kept = set(range(min(frequent, len(self.words))))
        kept.update(row for row in map(self.row, words) if row is not None)
        if len(kept) == len(self.words):
            return self
        rows = np.array(sorted(kept), dtype=np.int32)
        recipe = self.recipe
        if recipe is not None:
            recipe = replace(recipe, rows=rows if recipe.rows is None else recipe.rows[rows])
        return WordVectors(tuple(self.words[row] for row in rows), self.matrix[rows], recipe)


FOLDER = Path(__file__).resolve().parents[1] / "models" / "glove-100d-50k"
VECTORS_FILE = "vectors.safetensors"
WORDS_FILE = "words.txt"
SHIPPED = "shipped"  # sources of a training's vectors; anything else is the path of a file
WORD2VEC = "word2vec"

INSTALL_AGAIN = "Install the package again: pip install --force-reinstall disco2"


def read_shipped() -> WordVectors:
    """The shipped vectors, as GloVe has them: not yet reduced or standardised."""
    words, matrix, _ = _read()
    return WordVectors(words, matrix.astype(np.float32))


def reduced_shipped(*, dimensions: int) -> WordVectors:
    """The shipped vectors, reduced and standardised, with the recipe to make them again."""
    words, matrix, digest = _read()
    reduction = find_reduction(matrix.astype(np.float32), dimensions=dimensions)
    return WordVectors(words, reduction(matrix), Recipe(digest, reduction))


def make_table(recipe: Recipe) -> WordVectors:
    """The table that a recipe describes; VectorsError if the shipped vectors are different ones."""
    words, matrix, digest = _read()
    mean, centre = recipe.reduction.mean, recipe.reduction.centre
    # Checked before memory is allocated for the table.
    if digest != recipe.digest or not matrix.shape[1] == len(mean if centre is None else centre) >= len(mean):
        raise VectorsError(
            "The word vectors that ship with this installation are not the ones the table was made from.",
            where=str(FOLDER),
            hint=INSTALL_AGAIN,
        )
    table = recipe.reduction(matrix)
    if recipe.rows is not None:
        words, table = tuple(words[row] for row in recipe.rows), table[recipe.rows]
    return WordVectors(words, table, recipe)


def _read() -> tuple[tuple[str, ...], NDArray[np.float16], str]:
    """Words, vectors and the SHA-256 over both files; VectorsError if a byte of the folder was changed."""
    try:
        files = read_listed_files(FOLDER)
        matrix: NDArray[np.float16] = load(files[VECTORS_FILE])["vectors"]
        words = files[WORDS_FILE].decode("utf-8").split("\n")[:-1]
    except (BundleError, SafetensorError, KeyError, UnicodeDecodeError) as error:
        raise VectorsError(
            f"The shipped word vectors can't be read ({error.__cause__ or error}).",
            where=str(FOLDER),
            hint=INSTALL_AGAIN,
        ) from error
    total = sha256()
    for name in (VECTORS_FILE, WORDS_FILE):
        total.update(f"{name}\n{len(files[name])}\n".encode())
        total.update(files[name])
    return tuple(words), matrix, total.hexdigest()


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
            header, _, rest = stream.read(_PREVIEW).partition(b"\n")
            stream.seek(0)
            # In word2vec's binary form a header is followed by bytes that no text has.
            is_binary = _parse_header(header) is not None and not _CONTROL_BYTES.isdisjoint(rest)
            read_rows = _binary_rows if is_binary else _text_rows
            for word, values in read_rows(stream, wanted, str(path)):
                if not np.isfinite(values).all():
                    raise _error(f"A value of '{word}' is infinite or not a number.", str(path))
                chosen[word] = values.astype(np.float32)  # a copy, not a view of the file's bytes
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise VectorsError(
            f"The word vectors can't be read: {error}.",
            where=str(path),
            hint=f'Give the path of a whole file, "{SHIPPED}", or "{WORD2VEC}".',
        ) from error
    if not chosen:
        raise _error("There are no vectors in this file for the words that are needed.", str(path))
    return WordVectors(tuple(chosen), np.stack(list(chosen.values())))


def _error(what: str, where: str) -> VectorsError:
    return VectorsError(what, where=where, hint=_FORMATS)


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
