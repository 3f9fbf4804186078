"""Reject JSON objects with a duplicate key: Python takes the last value, other parsers the first."""

from __future__ import annotations

from collections import Counter
from typing import Any


class TwinKeyError(ValueError):
    """``key`` is the first that occurs twice, in a printable form."""

    def __init__(self, key: str) -> None:
        self.key = key.encode("utf-8", errors="replace").decode("utf-8")
        super().__init__(f"The key '{self.key:.80}' occurs twice in one object")


def without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, for ``json.loads(..., object_pairs_hook=without_twins)``."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise TwinKeyError(next(key for key, count in counts.items() if count > 1))
    return found
