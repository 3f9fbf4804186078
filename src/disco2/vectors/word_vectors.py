"""Word vectors: their sources (shipped, from a file, or trained), look-up, and reduction."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from disco2.errors import BundleError, MissingExtraError, VectorsError
from disco2.files import read_listed_files
from disco2.settings import Settings, setting
from disco2.threads import single_threaded

TABLE: dict[str, tuple[str, ...]] = {
    "a": ("an",),
    "i": ("me",),
    "'s": ("its",),
    "n't": ("not",),
    "'m": ("am",),
    "'re": ("are",),
    "'ve": ("have",),
    "'ll": ("will",),
    "'d": ("would",),
    "--": ("-",),
    "–": ("--", "-"),  # noqa: RUF001  an en dash
    "—": ("--", "-"),
    "―": ("--", "-"),
    "...": ("…",),
    "``": ('"',),
    "''": ('"',),
    "-lrb-": ("(",),
    "-rrb-": (")",),
    "-lsb-": ("[",),
    "-rsb-": ("]",),
    "-lcb-": ("{",),
    "-rcb-": ("}",),
    "u.s.": ("america",),
    "a.m.": ("morning",),
    "p.m.": ("afternoon",),
    "no.": ("number",),
}
ANY_NUMBER = ("10", "ten")
ANY_YEAR = ("2008", "mid-1990s")

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
        return ANY_YEAR
    if _NUMERAL.fullmatch(plain):
        return ANY_NUMBER
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

    def fits(self, width: int) -> bool:
        """Whether it can reduce vectors with this number of dimensions."""
        before = self.mean if self.centre is None else self.centre
        return len(before) == width >= len(self.mean)

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


def reduce(matrix: NDArray[np.float32], *, dimensions: int) -> NDArray[np.float32]:
    """Principal components, if there are more columns than ``dimensions``; standardised in any case.

    Shapes: [n, D] -> [n, dimensions]. Mean and variance are over the n rows (LeCun et al. 2012).
    """
    return find_reduction(matrix, dimensions=dimensions)(matrix)


@single_threaded()  # or the last digit depends on the number of threads
def find_reduction(matrix: NDArray[np.float32], *, dimensions: int) -> Reduction:
    """What ``reduce`` does to this matrix."""
    size = matrix.shape[1]
    if dimensions < 1:
        raise VectorsError(f"Vectors can't have {dimensions} dimensions.", hint="Ask for at least one.")
    if dimensions > size:
        raise VectorsError(
            f"{dimensions} dimensions were asked for, the word vectors have {size}.",
            hint=f"Ask for {size} or fewer, or choose larger vectors.",
        )
    values = matrix.astype(np.float64)
    if dimensions == size:
        return Reduction(*mean_and_deviation(values))
    centre = values.mean(axis=0)
    axes = principal_axes(values - centre, dimensions=dimensions)
    return Reduction(*mean_and_deviation((values - centre) @ axes), centre, axes)


def principal_axes(centred: Doubles, *, dimensions: int) -> Doubles:
    """The leading eigenvectors of the covariance, [D, dimensions], the largest first; ``centred``: [n, D].

    An eigenvector's sign is arbitrary; here its largest entry is positive, so that every run agrees.
    """
    covariance = centred.T @ centred / len(centred)
    _, eigenvectors = np.linalg.eigh(covariance)  # ascending eigenvalues
    axes = eigenvectors[:, ::-1][:, :dimensions]
    largest = np.abs(axes).argmax(axis=0)
    signed: Doubles = axes * np.where(axes[largest, np.arange(dimensions)] < 0, -1.0, 1.0)
    return signed


def mean_and_deviation(values: Doubles) -> tuple[Doubles, Doubles]:
    """Of each column; the deviation is zero if it is only a rounding error."""
    mean = values.mean(axis=0)
    deviation = (values - mean).std(axis=0)
    constant = deviation <= 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0)))
    return mean, np.where(constant, 0.0, deviation)


@dataclass(frozen=True, eq=False)
class Recipe:
    """The shipped vectors with this digest, reduced, and of them some rows; see ``shipped.make_table``."""

    digest: str
    reduction: Reduction
    rows: NDArray[np.int32] | None = None  # ascending; None for all

    def of_rows(self, rows: Sequence[int]) -> Recipe:
        """The recipe for some rows, ascending, of the table that this one makes."""
        chosen = np.asarray(rows, dtype=np.int32)
        return replace(self, rows=chosen if self.rows is None else self.rows[chosen])


@dataclass(frozen=True)
class WordVectors:
    """``matrix[i]`` is the vector of ``words[i]``; the words are unique, the most frequent first.

    A word is looked up as it is written, then in lower case, then by its stand-ins (see ``aliases``). Where
    the table was made from the shipped vectors, ``recipe`` says how.
    """

    words: tuple[str, ...]
    matrix: NDArray[np.float32]  # [len(words), dimensions]
    recipe: Recipe | None = None

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or self.matrix.shape[0] != len(self.words):
            raise VectorsError(
                f"{len(self.words)} words do not fit a matrix of shape {self.matrix.shape}.",
                hint="Each word needs one row.",
            )
        if len(self._rows) != len(self.words):
            raise VectorsError("A word occurs twice in the vocabulary.", hint="Keep its first vector only.")

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
        for form in forms(word) if word not in rows else (word,):
            if form in rows:
                return rows[form]
        return None

    def vector(self, word: str) -> NDArray[np.float32]:
        """The word's vector; zeros for an unknown word, which is the mean once they are standardised."""
        row = self.row(word)
        if row is None:
            return np.zeros(self.dimensions, dtype=np.float32)
        vector: NDArray[np.float32] = self.matrix[row]
        return vector

    def cut(self, *, words: Iterable[str], frequent: int) -> WordVectors:
        """The same vectors for the ``frequent`` first words and those that a look-up of ``words`` ends at."""
        kept = set(range(min(frequent, len(self.words))))
        kept.update(row for row in map(self.row, words) if row is not None)
        if len(kept) == len(self.words):
            return self
        rows = sorted(kept)
        return WordVectors(
            words=tuple(self.words[row] for row in rows),
            matrix=np.ascontiguousarray(self.matrix[rows]),
            recipe=self.recipe and self.recipe.of_rows(rows),
        )


FOLDER = Path(__file__).resolve().parents[1] / "models" / "glove-100d-50k"
VECTORS_FILE = "vectors.safetensors"
WORDS_FILE = "words.txt"
TENSOR = "vectors"

INSTALL_AGAIN = "Install the package again: pip install --force-reinstall disco2"


def read_shipped() -> WordVectors:
    """The shipped vectors, as GloVe has them: not yet reduced or standardised."""
    words, matrix, _ = _read(FOLDER)
    return WordVectors(words, matrix.astype(np.float32))


def reduced_shipped(*, dimensions: int) -> WordVectors:
    """The shipped vectors, reduced and standardised, with the recipe to make them again."""
    words, matrix, digest = _read(FOLDER)
    reduction = find_reduction(matrix.astype(np.float32), dimensions=dimensions)
    return WordVectors(words, reduction(matrix), Recipe(digest, reduction))


def make_table(recipe: Recipe, folder: Path = FOLDER) -> WordVectors:
    """The table that a recipe describes; VectorsError if the shipped vectors are different ones."""
    words, matrix, digest = _read(folder)
    # Checked before memory is allocated for the table.
    if digest != recipe.digest or not recipe.reduction.fits(matrix.shape[1]):
        raise VectorsError(
            "The word vectors that ship with this installation are not the ones the table was made from.",
            where=str(folder),
            hint=INSTALL_AGAIN,
        )
    table = recipe.reduction(matrix)
    if recipe.rows is None:
        return WordVectors(words, table, recipe)
    return WordVectors(tuple(words[row] for row in recipe.rows), table[recipe.rows], recipe)


def _read(folder: Path) -> tuple[tuple[str, ...], NDArray[np.float16], str]:
    """Words, vectors and the SHA-256 over both files; VectorsError if a byte of the folder was changed."""
    try:
        files = read_listed_files(folder)
        matrix: NDArray[np.float16] = load(files[VECTORS_FILE])[TENSOR]
        words = files[WORDS_FILE].decode("utf-8").split("\n")[:-1]
    except (BundleError, SafetensorError, KeyError, UnicodeDecodeError) as error:
        raise VectorsError(
            f"The shipped word vectors can't be read ({error.__cause__ or error}).",
            where=str(folder),
            hint=INSTALL_AGAIN,
        ) from error
    total = sha256()
    for name in (VECTORS_FILE, WORDS_FILE):
        total.update(f"{name}\n{len(files[name])}\n".encode())
        total.update(files[name])
    return tuple(words), matrix, total.hexdigest()


@dataclass(frozen=True)
class VectorSettings(Settings):
    """Source and size of the table of word vectors."""

    source: str = setting(
        "shipped", "shipped: GloVe, comes with the package; word2vec: trained on the corpus; or a file"
    )
    frequent: int = setting(
        50000, "frequent words to keep in the model, beside those that the training relations use", minimum=0
    )


SHIPPED = "shipped"
WORD2VEC = "word2vec"
_WORD2VEC_EPOCHS, _WORD2VEC_MINIMUM = 20, 2  # passes over the sentences; rarer words get no vector
_FREQUENT_FOR_STATISTICS = 50_000  # so that a file's mean and variance hardly depend on the corpus at hand


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
            from disco2.vectors.reading import read_vectors  # late: it imports this module

            keep = {form for word in words for form in forms(word)}
            loaded = read_vectors(_file(source), keep=keep, frequent=max(frequent, _FREQUENT_FOR_STATISTICS))
        standard = WordVectors(loaded.words, reduce(loaded.matrix, dimensions=dimensions))
    if words and all(standard.row(word) is None for word in words):
        raise VectorsError(
            "None of the words that are needed has a vector.",
            where=source,
            hint="Are these vectors for another language?",
        )
    return standard.cut(words=words, frequent=frequent)


def _file(source: str) -> Path:
    path = Path(os.path.expanduser(source))  # noqa: PTH111  which leaves an unknown user's name as it is
    if not os.path.isfile(path):  # noqa: PTH113  which does not raise where a folder can't be read
        raise VectorsError(
            f"There is no file of word vectors {source!r}.",
            hint=f'Give the path of a file, "{SHIPPED}", or "{WORD2VEC}".',
        )
    return path


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
        hashfxn=_stable_hash,
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


def _stable_hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", errors="surrogatepass"))
