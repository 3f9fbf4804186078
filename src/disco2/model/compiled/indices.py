"""Indices that compiled code would follow anywhere, checked beforehand as NumPy checks them."""

from __future__ import annotations

from disco2.data.batch import Batch, Ints


def check_words(batch: Batch, vocabulary: int) -> None:
    """Raise IndexError where a word has no row in a table of that length."""
    _check(batch.words, vocabulary, "word")


def check_features(batch: Batch, features: int) -> None:
    """Raise IndexError where a feature has no column among so many."""
    _check(batch.feature_columns, features, "feature")


def _check(numbers: Ints, limit: int, what: str) -> None:
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < limit):
        raise IndexError(f"{what} {numbers.min()} or {numbers.max()} is not among {limit}")
