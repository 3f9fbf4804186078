"""The word vectors that come with the package: GloVe, 100 dimensions, 50,000 words."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from disco2.errors import VectorsError
from disco2.vectors.word_vectors import Recipe, WordVectors, find_reduction

FOLDER = Path(__file__).resolve().parents[1] / "models" / "glove-100d-50k"
VECTORS_FILE = "vectors.safetensors"
WORDS_FILE = "words.txt"
TENSOR = "vectors"

INSTALL_AGAIN = "Install the package again: pip install --force-reinstall disco2"


def read_shipped(folder: Path = FOLDER) -> WordVectors:
    """The shipped vectors, as GloVe has them: not yet reduced or standardised."""
    words, matrix = _read(folder)
    return WordVectors(words, matrix.astype(np.float32))


def reduced_shipped(*, dimensions: int, folder: Path = FOLDER) -> WordVectors:
    """The shipped vectors, reduced and standardised, with the recipe to make them again."""
    words, matrix = _read(folder)
    reduction = find_reduction(matrix.astype(np.float32), dimensions=dimensions)
    return WordVectors(words, reduction(matrix), Recipe(shipped_digest(folder), reduction))


def make_table(recipe: Recipe, folder: Path = FOLDER) -> WordVectors:
    """The table that a recipe describes; VectorsError where the shipped vectors are not those it is for."""
    if shipped_digest(folder) != recipe.digest:
        raise VectorsError(
            "The word vectors that ship with this installation are not the ones the table was made from.",
            where=str(folder),
            hint=INSTALL_AGAIN,
        )
    words, matrix = _read(folder)
    table = recipe.reduction(matrix)
    if recipe.rows is None:
        return WordVectors(words, table, recipe)
    return WordVectors(tuple(words[row] for row in recipe.rows), table[recipe.rows], recipe)


def shipped_digest(folder: Path = FOLDER) -> str:
    """The SHA-256 over the shipped files."""
    total = sha256()
    try:
        for name in (VECTORS_FILE, WORDS_FILE):
            content = (folder / name).read_bytes()
            total.update(f"{name}\n{len(content)}\n".encode())
            total.update(content)
    except OSError as error:
        raise _unreadable(folder, error) from error
    return total.hexdigest()


def _read(folder: Path) -> tuple[tuple[str, ...], NDArray[np.float16]]:
    try:
        matrix: NDArray[np.float16] = load_file(folder / VECTORS_FILE)[TENSOR]
        words = (folder / WORDS_FILE).read_text(encoding="utf-8").split("\n")[:-1]
    except (OSError, SafetensorError, KeyError, UnicodeDecodeError) as error:
        raise _unreadable(folder, error) from error
    return tuple(words), matrix


def _unreadable(folder: Path, error: Exception) -> VectorsError:
    return VectorsError(
        f"The shipped word vectors can't be read ({error}).", where=str(folder), hint=INSTALL_AGAIN
    )
