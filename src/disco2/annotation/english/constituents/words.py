"""Words and tags -> the numbers that a sentence's encoder starts from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from disco2.vectors import WordVectors

UNKNOWN, OPENING, CLOSING = 0, 1, 2  # rows of the tables of words and tags: any other, and a sentence's edges
RESERVED = 3
PREFIXES = (1, 2, 3)
SUFFIXES = (1, 2, 3, 4)
PIECES = len(PREFIXES) + len(SUFFIXES) + 1  # and the shape
REMEMBERED = 20_000  # words whose numbers are kept; more than most texts have

Integers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class WordNumbers:
    """Rows of the tables for n tokens, the sentence's two edges included."""

    vectors: Integers  # [n] rows of the word vectors; the one after the last is zero
    words: Integers  # [n]
    pieces: Integers  # [n, PIECES] prefixes, suffixes and shape; 0 where it is too rare
    tags: Integers  # [n]


@dataclass(frozen=True)
class Lexicon:
    """The words, pieces of words and tags that the parser knows, and the vectors it looks words up in."""

    vectors: WordVectors
    words: tuple[str, ...]  # lower case
    pieces: tuple[str, ...]
    tags: tuple[str, ...]

    @cached_property
    def _word_rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words, RESERVED)}

    @cached_property
    def _piece_rows(self) -> dict[str, int]:
        return {piece: row for row, piece in enumerate(self.pieces, 1)}

    @cached_property
    def tag_rows(self) -> dict[str, int]:
        """The rows of the tags."""
        return {tag: row for row, tag in enumerate(self.tags, RESERVED)}

    @cached_property
    def _remembered(self) -> dict[str, tuple[int, ...]]:
        return {}

    def numbers(self, words: Sequence[str], tags: Sequence[str]) -> WordNumbers:
        """The numbers of one sentence of n - 2 words."""
        edge = (len(self.vectors), *(0,) * PIECES)
        rows = [(*edge, OPENING), *map(self._rows, words), (*edge, CLOSING)]
        table = np.array(rows, dtype=np.int32)
        tag_rows = [self.tag_rows.get(tag, UNKNOWN) for tag in tags]
        return WordNumbers(
            vectors=table[:, 0],
            words=table[:, -1],
            pieces=table[:, 1:-1],
            tags=np.array([OPENING, *tag_rows, CLOSING], dtype=np.int32),
        )

    def _rows(self, word: str) -> tuple[int, ...]:
        """Vector, pieces, word."""
        found = self._remembered.get(word)
        if found is None:
            vector = self.vectors.row(word)
            found = (
                len(self.vectors) if vector is None else vector,
                *(self._piece_rows.get(piece, 0) for piece in pieces(word)),
                self._word_rows.get(word.lower(), UNKNOWN),
            )
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            self._remembered[word] = found
        return found


def pieces(word: str) -> list[str]:
    """Prefixes, suffixes and shape, each marked with what it is."""
    lower = word.lower()
    return [
        *(f"{lower[:size]}-" for size in PREFIXES),
        *(f"-{lower[-size:]}" for size in SUFFIXES),
        shape(word),
    ]


def shape(word: str) -> str:
    """Classes of characters, runs of three or more cut to two: ``McDonald's`` is ``=XxXxx'x``."""
    runs = groupby(map(_class, word[:20]))
    return "=" + "".join("".join(list(run)[:2]) for _, run in runs)


def _class(character: str) -> str:
    if character.isdigit():
        return "d"
    if character.isalpha():
        return "x" if character.islower() else "X"
    return character


def build_lexicon(
    words: Iterable[str], tags: Iterable[str], *, vectors: WordVectors, word_count: int, piece_count: int
) -> Lexicon:
    """The lexicon of a training corpus: words and pieces that occur at least so often, in order of frequency.

    A suffix is marked by position, so a piece is counted once for each word that has it.
    """
    forms = Counter(words)
    lower: Counter[str] = Counter()
    parts: Counter[str] = Counter()
    for word, count in forms.items():
        lower[word.lower()] += count
        for piece in pieces(word):
            parts[piece] += count
    return Lexicon(
        vectors=vectors,
        words=_frequent(lower, word_count),
        pieces=_frequent(parts, piece_count),
        tags=_frequent(Counter(tags), 1),
    )


def _frequent(counts: Counter[str], least: int) -> tuple[str, ...]:
    kept = [(-count, item) for item, count in counts.items() if count >= least]
    return tuple(item for _, item in sorted(kept))
