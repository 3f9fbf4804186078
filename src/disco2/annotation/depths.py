"""How deep each word hangs below the root."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=16)  # asked for again with every mention of a sentence
def depths_below_root(heads: tuple[int, ...]) -> tuple[int, ...]:
    """For each word the steps from it to the root (-1 is the root's head), each word walked over once.

    A word whose heads end in a circle is deeper than any other.
    """
    unknown, on_the_way = -1, -2
    depths = [unknown] * len(heads)
    for word in range(len(heads)):
        path = []
        while word >= 0 and depths[word] == unknown:
            depths[word] = on_the_way
            path.append(word)
            word = heads[word]
        depth = -1
        if word >= 0:
            depth = depths[word] if depths[word] != on_the_way else len(heads)
        for passed in reversed(path):
            depth = min(depth + 1, len(heads))
            depths[passed] = depth
    return tuple(depths)
