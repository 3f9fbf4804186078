"""Which earlier candidates may be a mention's antecedent: a bounded number, so that time is linear."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from disco2.annotation.english.coreference.attributes import Integers, Mentions
from disco2.annotation.english.coreference.kinds import FIRST_NOMINAL


def possible_antecedents(mentions: Mentions, *, window: int, matches: int) -> Integers:
    """(mentions, window + matches): the numbers of earlier candidates, nearest first, -1 for none.

    The first ``window`` columns are the candidates just before; the others are farther ones with the same key
    word, for nouns and names, which are spoken of again after pages.
    """
    length = len(mentions)
    near = np.arange(length, dtype=np.int32)[:, None] - np.arange(1, window + 1, dtype=np.int32)
    far = np.full((length, matches), -1, dtype=np.int32)
    places: dict[int, list[int]] = {}
    for index, (key, kind) in enumerate(zip(mentions.key.tolist(), mentions.kind.tolist(), strict=True)):
        if kind < FIRST_NOMINAL:
            continue
        same = places.setdefault(key, [])
        cut = bisect_left(same, index - window)
        if cut:
            found = same[max(0, cut - matches) : cut][::-1]
            far[index, : len(found)] = found
        same.append(index)
    return np.concatenate([np.maximum(near, -1), far], axis=1)
