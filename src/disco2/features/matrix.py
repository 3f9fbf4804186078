"""Sparse binary feature rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMatrix:
    """The columns that are 1 in each row: row i has ``indices[indptr[i] : indptr[i + 1]]``, ascending."""

    indptr: NDArray[np.int64]  # [rows + 1]
    indices: NDArray[np.int32]  # [ones]
    width: int

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[int]], width: int) -> FeatureMatrix:
        """From the columns of each row, in any order, each once."""
        indptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=indptr[1:])
        indices = np.array([column for row in rows for column in sorted(row)], dtype=np.int32)
        return cls(indptr, indices, width)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def row(self, row: int) -> NDArray[np.int32]:
        """The columns that are 1 in a row."""
        return self.indices[self.indptr[row] : self.indptr[row + 1]]
