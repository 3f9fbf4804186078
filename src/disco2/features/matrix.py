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

    def dense(self, rows: Sequence[int] | NDArray[np.integer]) -> NDArray[np.float32]:
        """float32 [len(rows), width]: the given rows, in the given order, as zeros and ones."""
        chosen = np.asarray(rows, dtype=np.int64)
        starts, lengths = self.indptr[chosen], self.indptr[chosen + 1] - self.indptr[chosen]
        # Where the columns of all chosen rows lie in `indices`: a ramp that jumps at each new row.
        before = np.cumsum(lengths) - lengths
        source = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
        out = np.zeros((len(chosen), self.width), dtype=np.float32)
        out[np.repeat(np.arange(len(chosen)), lengths), self.indices[source]] = 1.0
        return out
