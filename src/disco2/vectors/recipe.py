"""How a table of word vectors was made from the shipped ones, so that it need not be stored a second time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from disco2.vectors.reduce import Reduction


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
