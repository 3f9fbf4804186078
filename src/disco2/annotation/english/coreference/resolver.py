"""The built-in coreference annotator: it takes the best antecedent of each mention, or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.english.annotators import named, weights_digest
from disco2.annotation.english.coreference.features import (
    FIRST_WORD,
    PAIR_FEATURES,
    mention_feature_sizes,
    mention_features,
    pair_features,
)
from disco2.annotation.english.coreference.lexicon import FIRST_NOMINAL
from disco2.annotation.english.coreference.mentions import (
    Integers,
    Mentions,
    candidate_mentions,
    mention_attributes,
    token_context,
)
from disco2.annotation.english.coreference.ranking import (
    SHIPPED,
    Floats,
    Tables,
    antecedent_scores,
    new_scores,
    offsets,
    pair_scores,
    possible_antecedents,
    read_weights,
)
from disco2.records import Document, Mention

BLOCK = 512  # mentions whose pairs are scored together; bounds the memory that a long document needs


@dataclass(frozen=True)
class MentionRanker:
    """Detects mentions and links each with its best antecedent, or with none.

    ``words`` is the vocabulary of the lexical features. A mention has at most ``window`` antecedents just
    before it and ``matches`` farther ones with the same key word.
    """

    NAME: ClassVar = "disco2 mention ranking"
    REQUIRES: ClassVar[Mapping[Layer, Layers]] = {
        Layer.COREFERENCE: frozenset({Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES, Layer.CONSTITUENTS})
    }

    tables: Tables
    words: tuple[str, ...]
    window: int
    matches: int
    digest: str = ""  # of the files that the weights were read from

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> MentionRanker:
        """The annotator whose weights are in a folder, by default the one that comes with the package."""
        return cls(*read_weights(folder), digest=weights_digest(folder))

    @property
    def name(self) -> str:
        return named(self.NAME, self.digest)

    @property
    def fingerprint(self) -> str:
        """What tells its results from those of others, for the cache; empty without weights from a folder."""
        return self.name if self.digest else ""

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return self.REQUIRES

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        if Layer.COREFERENCE not in layers:
            return list(documents)
        return [self.resolve(document) for document in documents]

    def resolve(self, document: Document) -> Document:
        """The document with mentions: those of chains with at least two of them."""
        mentions = mention_attributes(document, candidate_mentions(document), token_context(document))
        if not len(mentions):
            return replace(document, mentions=())
        return replace(document, mentions=_chained(mentions, self._openers(document, mentions)))

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, start=FIRST_WORD)}

    def _openers(self, document: Document, mentions: Mentions) -> list[int]:
        """The first mention of the chain that each mention is in, itself where it opens one or is in none.

        Each takes its best antecedent, if that is better than none; a pronoun takes no antecedent whose chain
        has a pronoun of another gender.
        """
        starts = offsets(mention_feature_sizes(len(self.words)))
        rows = mention_features(document, mentions, self._vocabulary) + starts
        new = new_scores(self.tables, rows, mentions)
        own = antecedent_scores(self.tables, rows)
        chains = ChainGenders(mentions)
        gendered = chains.gendered().tolist()
        for first, antecedents, scores in self._blocks(mentions, own):
            choices = np.argmax(scores, axis=1).tolist()
            for row, choice in enumerate(choices):
                mention = first + row
                if gendered[mention]:
                    scores[row, chains.clashes(mention, antecedents[row])] = -np.inf
                    choice = int(np.argmax(scores[row]))
                if scores[row, choice] > new[mention]:
                    chains.link(mention, int(antecedents[row, choice]))
        return chains.openers

    def _blocks(self, mentions: Mentions, own: Floats) -> Iterator[tuple[int, Integers, Floats]]:
        pair_starts = offsets(PAIR_FEATURES)
        everyone = possible_antecedents(mentions, window=self.window, matches=self.matches)
        for first in range(0, len(mentions), BLOCK):
            antecedents = everyone[first : first + BLOCK]
            features = pair_features(mentions, first, antecedents)
            yield (
                first,
                antecedents,
                pair_scores(self.tables, mentions, first, antecedents, features, pair_starts, own),
            )


def _chained(mentions: Mentions, opener: list[int]) -> tuple[Mention, ...]:
    """Mentions that are not alone, with the chain they are in; chains are numbered as they begin."""
    members = np.bincount(opener, minlength=len(opener))
    chains: dict[int, str] = {}
    return tuple(
        Mention(start, end, head, chains.setdefault(first, str(len(chains) + 1)))
        for start, end, head, first in zip(
            mentions.start.tolist(), mentions.end.tolist(), mentions.head.tolist(), opener, strict=True
        )
        if members[first] > 1
    )


class ChainGenders:
    """Chains while mentions join them in text order, each with the gender of its pronouns, if any.

    Only pronouns count: what names and nouns say about gender is a guess, and the ranking weighs it.
    """

    def __init__(self, mentions: Mentions) -> None:
        self._own: Integers = np.where(mentions.kind < FIRST_NOMINAL, mentions.gender, 0)
        self._gender = self._own.copy()  # of the chain, at its first mention
        self._openers = np.arange(len(mentions), dtype=np.int32)  # the first mention of each one's chain

    @property
    def openers(self) -> list[int]:
        """The first mention of the chain that each mention is in."""
        found: list[int] = self._openers.tolist()
        return found

    def gendered(self) -> NDArray[np.bool_]:
        """Which mentions have a gender that a chain may clash with."""
        known: NDArray[np.bool_] = self._own > 0
        return known

    def clashes(self, mention: int, antecedents: Integers) -> NDArray[np.bool_]:
        """Which of its antecedents are in a chain that has a pronoun of another gender than the mention's."""
        theirs = self._gender[self._openers[antecedents]]
        clashing: NDArray[np.bool_] = (theirs > 0) & (theirs != self._own[mention])
        return clashing

    def link(self, mention: int, antecedent: int) -> None:
        """Let a mention join the chain of its antecedent."""
        opener = self._openers[antecedent]
        self._openers[mention] = opener
        if self._own[mention]:
            self._gender[opener] = self._own[mention]
