"""Words and their vectors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from disco2.errors import VectorsError
from disco2.vectors.aliases import forms
from disco2.vectors.recipe import Recipe


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
