"""A document and the layers of annotation that lie on it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Token:
    """A word form, brackets unescaped, and its place in the document's text."""

    text: str
    start: int
    end: int
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Constituents:
    """The phrases over the n tokens of one sentence, as parallel arrays in pre-order.

    Only phrases are nodes; part-of-speech nodes are the ``tags``, one for each token. Node 0 covers the whole
    sentence. A node's children are the nodes whose parent it is and the tokens under it that no child covers,
    in text order. Unary chains are kept: they are nodes with the same span, the outer one first. Labels are
    bare (``NP``, not ``NP-SBJ``), traces are gone, and a ROOT or TOP above a single phrase is left out.

    Spans count tokens from the sentence's first one and exclude the end.
    """

    labels: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    parents: tuple[int, ...]  # -1 for node 0
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dependencies:
    """One head and one label for each token of a sentence; heads count from the sentence's first token."""

    heads: tuple[int, ...]  # -1 for the root
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens ``start`` to ``end`` (exclusive) of a document."""

    start: int
    end: int
    constituents: Constituents | None = None
    dependencies: Dependencies | None = None

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Mention:
    """The tokens ``start`` to ``end`` (exclusive) that speak of the entity ``chain``, with their head."""

    start: int
    end: int
    head: int
    chain: str


@dataclass(frozen=True)
class Document:
    """A text, its tokens, and what is known about them.

    ``sentences`` cover all tokens, in order. ``mentions`` is None where nobody looked for coreference, and
    empty where somebody did and found none.
    """

    id: str
    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...] | None = None

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [sentence.start for sentence in self.sentences]

    def sentence_index(self, token: int) -> int:
        """The index of the sentence that holds a token."""
        return bisect_right(self._sentence_starts, token) - 1

    def words(self, tokens: Sequence[int]) -> list[str]:
        """The forms of the given tokens."""
        return [self.tokens[token].text for token in tokens]
