"""Arrays that are used again, so that no step waits for fresh memory."""

from __future__ import annotations

import numpy as np

from disco2.data.batch import Ints
from disco2.model.arrays import Floats


class Workspace:
    """Hands out arrays by name. Their contents are whatever was there; they grow and never shrink."""

    def __init__(self) -> None:
        self._floats: dict[str, Floats] = {}
        self._ints: dict[str, Ints] = {}

    def floats(self, name: str, rows: int, width: int) -> Floats:
        """A contiguous array [rows, width] of singles."""
        held = self._floats.get(name)
        if held is None or held.size < rows * width:
            held = self._floats[name] = np.empty(rows * width, dtype=np.float32)
        return held[: rows * width].reshape(rows, width)

    def ints(self, name: str, count: int) -> Ints:
        """[count]"""
        held = self._ints.get(name)
        if held is None or len(held) < count:
            held = self._ints[name] = np.empty(count, dtype=np.int32)
        return held[:count]
