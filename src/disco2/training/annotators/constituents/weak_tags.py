"""Tags that a weak tagger might give a word: those that the word, or one that looks like it, has elsewhere.

A tagger is better on what it learnt from than on new text, so a parser that sees its tags there trusts them
too much. Trained on gold tags, some of them drawn from here, it does not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.english.constituents.words import UNKNOWN, Lexicon
from disco2.records import Document

Integers = NDArray[np.int32]

RARE = 5  # a word with fewer occurrences takes the tags of its kind


class WeakTags:
    """The rows of the tags of all occurrences of frequent words, and of all words of a kind."""

    def __init__(self, documents: Sequence[Document], lexicon: Lexicon) -> None:
        rows: dict[str, list[int]] = defaultdict(list)
        for document in documents:
            for token in document.tokens:
                row = lexicon.tag_rows.get(token.tag, UNKNOWN)
                rows[token.text.lower()].append(row)
                rows[_kind(token.text)].append(row)
        self._rows = {key: np.array(found, dtype=np.int32) for key, found in rows.items()}

    def draw(self, word: str, count: int, random: np.random.Generator) -> Integers:
        """So many tags for a word of the documents."""
        rows = self._rows[word.lower()]
        if len(rows) < RARE:
            rows = self._rows[_kind(word)]
        return rows[random.integers(len(rows), size=count)]


def _kind(word: str) -> str:
    """What a tagger sees of an unknown word: its ending and its case."""
    case = "capital" if word[:1].isupper() else "small"
    return f"{case} -{word[-2:].lower()}"
