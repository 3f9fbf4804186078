"""Pairs of Porter stems, one from each argument; punctuation and function words are kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock

import numpy as np
import Stemmer
from numpy.typing import NDArray

from disco2.features.selection import Presence
from disco2.records import Argument, Document, Instance

WordPair = tuple[str, str]
REMEMBERED = 20_000  # words whose stem is kept; bounded, for runs without end

_stemmer = Stemmer.Stemmer("porter", 0)  # without a cache of its own
_stemming = Lock()  # a stemmer keeps the word it works on in itself


@lru_cache(maxsize=REMEMBERED)
def stem(word: str) -> str:
    """The Porter stem of the lower-cased word. Half a character, as damaged text has it, stays as it is."""
    lowered = word.lower()
    try:
        with _stemming:
            found: str = _stemmer.stemWord(lowered)
    except UnicodeEncodeError:
        return lowered
    return found


def argument_stems(doc: Document, argument: Argument) -> set[str]:
    """The stems of an argument's words, each once."""
    return set(map(stem, doc.words(argument.tokens)))


def pair_candidates(
    instances: Sequence[Instance], *, minimum_count: int
) -> tuple[Sequence[WordPair], Presence]:
    """The pairs in at least ``minimum_count`` relations, numbered, and the relations each is in.

    Most raw pairs are rare, and there are millions; they never become Python objects. A pair in a relation is
    one integer, (first stem, second stem, relation) in mixed radix, so that one sort brings equal pairs
    together.
    """
    numbers: dict[str, int] = {}
    sides: tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]] = ([], [])
    for instance in instances:
        for side, argument in zip(sides, (instance.relation.arg1, instance.relation.arg2), strict=True):
            words = argument_stems(instance.document, argument)
            found = [numbers.setdefault(word, len(numbers)) for word in words]
            side.append(np.array(found, dtype=np.int64))

    # A pair can't be more frequent than its stems are on their sides.
    for side in sides:
        _keep_frequent(side, len(numbers), minimum_count)

    firsts, seconds = sides
    stem_count, relation_count = len(numbers), len(instances)
    ends = np.cumsum([len(first) * len(second) for first, second in zip(firsts, seconds, strict=True)])
    packed = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    for relation, (first, second, end) in enumerate(zip(firsts, seconds, ends, strict=True)):
        pairs = np.add.outer(first * stem_count, second)
        packed[end - pairs.size : end] = (pairs * relation_count + relation).ravel()
    packed.sort()

    keys = packed // max(relation_count, 1)
    is_first = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    starts = np.flatnonzero(is_first)
    counts = np.diff(starts, append=len(keys))
    frequent = counts >= minimum_count
    stems = tuple(numbers)
    pairs_found = [
        (stems[key // stem_count], stems[key % stem_count]) for key in keys[starts[frequent]].tolist()
    ]
    candidates = np.repeat(np.arange(len(pairs_found)), counts[frequent])
    relations = packed[np.repeat(frequent, counts)] % max(relation_count, 1)
    return pairs_found, Presence(candidates, relations, len(pairs_found))


def _keep_frequent(side: list[NDArray[np.int64]], stem_count: int, minimum_count: int) -> None:
    if side:
        frequent = np.bincount(np.concatenate(side), minlength=stem_count) >= minimum_count
        side[:] = [stems[frequent[stems]] for stems in side]
