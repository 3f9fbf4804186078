"""The shipped word vectors as spaCy's models ask for them.

spaCy is imported here: import this module only where a pipeline is made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import LOWER
from spacy.strings import StringStore
from spacy.vectors import BaseVectors

from disco2.vectors.word_vectors import WordVectors

REMEMBERED = 50_000  # words whose rows are kept


class SpacyWordVectors(BaseVectors):  # type: ignore[misc]  # spaCy's class is compiled, without types
    """Vectors by the lower-case form of a word, with the stand-ins that ``WordVectors`` knows.

    A word is looked up when it is first met, so that loading costs nothing. Unknown words have zeros.
    """

    attr = LOWER
    name = "glove"
    mode = "custom"

    def __init__(self, strings: StringStore, vectors: WordVectors) -> None:
        self.strings = strings
        self._vectors = vectors
        self._rows: dict[int, int] = {}  # -1 for unknown words

    def get_batch(self, keys: NDArray[np.uint64]) -> NDArray[np.float32]:
        """The vectors of the words with these hashes, [len(keys), dimensions]."""
        rows = np.array([self._row(key) for key in keys.tolist()], dtype=np.int64)
        taken: NDArray[np.float32] = self._vectors.matrix[rows]
        taken[rows < 0] = 0
        return taken

    def _row(self, key: int) -> int:
        row = self._rows.get(key)
        if row is None:
            found = self._vectors.row(self.strings[key])
            row = -1 if found is None else found
            if len(self._rows) >= REMEMBERED:
                self._rows.clear()
            self._rows[key] = row
        return row

    def __getitem__(self, key: int) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.get_batch(np.array([key], dtype=np.uint64))[0]
        return vector

    def __contains__(self, key: int) -> bool:
        return self._row(key) >= 0

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._vectors), self._vectors.dimensions

    @property
    def n_keys(self) -> int:
        return len(self._vectors)

    def __len__(self) -> int:
        return len(self._vectors)
