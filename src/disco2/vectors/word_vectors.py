"""Word vectors: look-up, reduction, and those that ship with the package."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from disco2.errors import BundleError, VectorsError
from disco2.files import read_listed_files
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
