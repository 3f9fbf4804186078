"""How often the arguments of a document may repeat its text.

A line of a hundred bytes can name a whole document as an argument, and a file has thousands of lines: what
they hold together would grow with the square of the files, and take all memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import Self

from disco2.errors import CorpusError
from disco2.records import Document

MOST_TIMES = 100  # a word of a treebank is in a handful of arguments, in a deep tree of units in some dozens
ALWAYS = 1_000_000  # characters, for short documents


class Coverage:
    """Counts the characters of one document's arguments, and hands out their tokens."""

    def __init__(self, document: str, length: int, starts: Sequence[int], ends: Sequence[int]) -> None:
        """``length`` is that of the document's text; its tokens are given as their places there."""
        self._document = document
        self._starts = starts
        self._ends = ends
        self._left = max(ALWAYS, MOST_TIMES * length)

    @classmethod
    def of(cls, document: Document) -> Self:
        starts = [token.start for token in document.tokens]
        ends = [token.end for token in document.tokens]
        return cls(document.id, len(document.text), starts, ends)

    def tokens(self, runs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """The tokens of runs that are in order and do not overlap; CorpusError as in ``take``."""
        self.take(sum(self._ends[last - 1] - self._starts[first] for first, last in runs))
        return tuple(chain.from_iterable(self._numbers[first:last] for first, last in runs))

    def take(self, characters: int) -> None:
        """Raises CorpusError where the arguments have become longer than any annotator's."""
        if characters > self._left:
            raise CorpusError(
                f"The arguments in {self._document or 'a document'} are together more than {MOST_TIMES} times"
                " as long as its text.",
                hint="The relations are damaged, or belong to another text.",
            )
        self._left -= characters

    @cached_property
    def _numbers(self) -> tuple[int, ...]:
        """All tokens, once: arguments share these numbers, which are larger than the places they take."""
        return tuple(range(len(self._starts)))
