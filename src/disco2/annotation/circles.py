"""Heads that lead round and round."""

from __future__ import annotations

from collections.abc import Sequence


def token_in_circle(heads: Sequence[int]) -> int | None:
    """A token whose heads never end at a root (-1), if there is one; each token is walked over once."""
    walked_from = [-1] * len(heads)
    for first in range(len(heads)):
        if walked_from[first] >= 0:
            continue
        token = first
        while token >= 0 and walked_from[token] < 0:
            walked_from[token] = first
            token = heads[token]
        if token >= 0 and walked_from[token] == first:
            return token
    return None
