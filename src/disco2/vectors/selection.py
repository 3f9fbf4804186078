"""Which rows of a file of vectors are kept while it is read, so that a huge file stays cheap."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from disco2.errors import VectorsError
from disco2.vectors.word_vectors import WordVectors


@dataclass
class Selection:
    """Collects the first ``frequent`` rows and those of the words in ``keep``; all rows where that is None.

    Where a word occurs twice, its first row counts.
    """

    keep: Collection[str] | None
    frequent: int
    _chosen: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    _seen: int = 0

    def wants(self, word: str) -> bool:
        """Whether the file's next row, which is this word's, is to be kept. To be asked once for each row."""
        self._seen += 1
        if word in self._chosen or "\n" in word:  # a model's words are stored one a line
            return False
        return self.keep is None or self._seen <= self.frequent or word in self.keep

    def complete(self) -> bool:
        """Whether no further row can be wanted."""
        return self.keep is not None and not self.keep and self._seen >= self.frequent

    def add(self, word: str, values: NDArray[np.float32]) -> None:
        self._chosen[word] = values

    def vectors(self, *, where: str) -> WordVectors:
        if not self._chosen:
            raise VectorsError(
                "None of the words that are needed has a vector here.",
                where=where,
                hint="Is this a file of vectors for another language?",
            )
        return WordVectors(tuple(self._chosen), np.stack(list(self._chosen.values())))
