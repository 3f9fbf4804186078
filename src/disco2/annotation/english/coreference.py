"""The built-in coreference annotator: links each mention to its best antecedent, or to none."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, save

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.english.annotators import Files, VectorReader
from disco2.annotation.english.mention_features import (
    FIRST_NOMINAL,
    FIRST_WORD,
    GROUP_OF_KIND,
    GROUPS,
    KINDS,
    PAIR_FEATURES,
    mention_feature_sizes,
    mention_features,
    pair_features,
)
from disco2.annotation.english.mentions import Integers, Mentions, read_mentions
from disco2.data import Document, Mention
from disco2.files import HIDDEN_LIST, folder_in_place

# A log-linear model over possible antecedents, after Durrett & Klein (2013), "Easy Victories".
#
#     P(a | i) is proportional to exp(s(i, a)) over {new} and the earlier candidates a, with
#     s(i, new) = sum_f N_f[f(i), group(i)]
#     s(i, a)   = sum_f A_f[f(a), group(i)] + sum_g W_g[g(i, a), kind(i), kind(a)]
#
# where f are features of one mention and g features of a pair. All features are small numbers, so a score is
# a sum of look-ups in the tables N, A and W.

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tables:
    """The weights. Rows of all features stand below each other; ``offsets`` say where each begins."""

    new: Floats  # N: (values of all mention features, GROUPS)
    antecedent: Floats  # A: (values of all mention features, GROUPS)
    pair: Floats  # W: (values of all pair features, KINDS * KINDS)


def offsets(sizes: Mapping[str, int]) -> Integers:
    """Where the rows of each feature begin."""
    return np.cumsum([0, *sizes.values()], dtype=np.int32)[:-1]


def new_scores(tables: Tables, rows: Integers, mentions: Mentions) -> Floats:
    """s(i, new) for all mentions; ``rows`` (mentions, features) are rows of the tables."""
    group = GROUP_OF_KIND[mentions.kind]
    found: Floats = tables.new[rows, group[:, None]].sum(axis=1)
    return found


def antecedent_scores(tables: Tables, rows: Integers) -> Floats:
    """(mentions, GROUPS): the part of s(i, a) that comes from the features of a, by the group of i."""
    total = np.zeros((len(rows), GROUPS), dtype=np.float32)
    for column in rows.T:
        total += tables.antecedent[column]
    return total


def kind_pairs(mentions: Mentions, first: int, antecedents: Integers) -> Integers:
    """The column of W for each pair."""
    last = first + len(antecedents)
    return mentions.kind[first:last, None] * KINDS + mentions.kind[antecedents]


def pair_scores(
    tables: Tables,
    mentions: Mentions,
    first: int,
    antecedents: Integers,
    features: NDArray[np.uint8],
    own: Floats,
) -> Floats:
    """s(i, a) for the mentions from ``first`` on; minus infinity where there is no antecedent.

    ``features`` as ``pair_features`` gives them, ``own`` the result of ``antecedent_scores``.
    """
    group = GROUP_OF_KIND[mentions.kind[first : first + len(antecedents)]]
    total: Floats = own[antecedents, group[:, None]]
    flat = tables.pair.reshape(-1)
    column = kind_pairs(mentions, first, antecedents)
    for index, start in enumerate(offsets(PAIR_FEATURES).tolist()):
        total += flat[(features[:, :, index].astype(np.int32) + start) * (KINDS * KINDS) + column]
    total[antecedents < 0] = -np.inf
    return total


def possible_antecedents(mentions: Mentions, *, window: int, matches: int) -> Integers:
    """(mentions, window + matches): the numbers of earlier candidates, nearest first, -1 for none.

    The first ``window`` columns are the candidates just before; the others are farther ones with the same key
    word, for nouns and names, which may be mentioned again after pages.
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


# The weights on disk: tables as safetensors, the rest as JSON.

TABLES = ("new", "antecedent", "pair")
TABLES_FILE = "tables.safetensors"
MODEL_FILE = "model.json"
FORMAT = 1


def write_weights(
    folder: Path, tables: Tables, words: Sequence[str], *, window: int, matches: int, force: bool = False
) -> None:
    """Write a model's folder, in half precision, all of it or nothing."""
    # Safetensors writes the memory as it is, ignoring the order of an array's axes.
    arrays = {name: np.ascontiguousarray(getattr(tables, name), dtype=np.float16) for name in TABLES}
    described = {
        "format": FORMAT,
        "window": window,
        "matches": matches,
        "mention_features": mention_feature_sizes(len(words)),
        "pair_features": PAIR_FEATURES,
        "words": list(words),
    }
    with folder_in_place(folder, HIDDEN_LIST, force=force) as fresh:
        (fresh / TABLES_FILE).write_bytes(save(arrays))
        text = json.dumps(described, ensure_ascii=False, indent=0)
        (fresh / MODEL_FILE).write_text(text + "\n", encoding="utf-8")


def read_weights(files: Files) -> tuple[Tables, tuple[str, ...], int, int]:
    """Tables, words, window and matches; raises ValueError or another exception if the files do not fit."""
    described = json.loads(files[MODEL_FILE])
    arrays = load(files[TABLES_FILE])
    words = tuple(described["words"])
    sizes = mention_feature_sizes(len(words))
    tables = Tables(**{name: arrays[name].astype(np.float32) for name in TABLES})
    fits = (
        described["format"] == FORMAT
        and described["mention_features"] == sizes
        and described["pair_features"] == PAIR_FEATURES
        and tables.new.shape == tables.antecedent.shape == (sum(sizes.values()), GROUPS)
        and tables.pair.shape == (sum(PAIR_FEATURES.values()), KINDS * KINDS)
    )
    if not fits:
        raise ValueError("it was made for another version of its features")
    return tables, words, int(described["window"]), int(described["matches"])


# The annotator.

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

    @classmethod
    def load(cls, files: Files, vectors: VectorReader | None = None) -> MentionRanker:
        """The annotator in the files of its folder; it needs no word vectors."""
        return cls(*read_weights(files))

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        if Layer.COREFERENCE not in layers:
            return list(documents)
        return [self.resolve(document) for document in documents]

    def resolve(self, document: Document) -> Document:
        """The document with mentions: those of chains with at least two of them."""
        mentions = read_mentions(document)
        if not len(mentions):
            return replace(document, mentions=())
        return replace(document, mentions=_chained(mentions, self._openers(document, mentions)))

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, start=FIRST_WORD)}

    def _openers(self, document: Document, mentions: Mentions) -> list[int]:
        """The first mention of each mention's chain: itself if it opens a chain or is in none.

        Each is linked to its best antecedent if that scores better than none. A pronoun is not linked to a
        chain that has a pronoun of another gender; the gender of names and nouns is a guess, which is a
        feature of the ranking.
        """
        starts = offsets(mention_feature_sizes(len(self.words)))
        rows = mention_features(document, mentions, self._vocabulary) + starts
        new = new_scores(self.tables, rows, mentions)
        own = antecedent_scores(self.tables, rows)
        all_antecedents = possible_antecedents(mentions, window=self.window, matches=self.matches)
        gender: Integers = np.where(mentions.kind < FIRST_NOMINAL, mentions.gender, 0)
        chain_gender = gender.copy()  # at the chain's first mention
        openers = np.arange(len(mentions), dtype=np.int32)
        for first in range(0, len(mentions), BLOCK):
            antecedents = all_antecedents[first : first + BLOCK]
            features = pair_features(mentions, first, antecedents)
            scores = pair_scores(self.tables, mentions, first, antecedents, features, own)
            for row, choice in enumerate(np.argmax(scores, axis=1).tolist()):
                mention = first + row
                if gender[mention]:
                    theirs = chain_gender[openers[antecedents[row]]]
                    scores[row, (theirs > 0) & (theirs != gender[mention])] = -np.inf
                    choice = int(np.argmax(scores[row]))
                if scores[row, choice] > new[mention]:
                    opener = openers[mention] = openers[antecedents[row, choice]]
                    if gender[mention]:
                        chain_gender[opener] = gender[mention]
        found: list[int] = openers.tolist()
        return found


def _chained(mentions: Mentions, opener: list[int]) -> tuple[Mention, ...]:
    """Mentions in chains of at least two; chains are numbered in text order."""
    members = np.bincount(opener, minlength=len(opener))
    chains: dict[int, str] = {}
    return tuple(
        Mention(start, end, head, chains.setdefault(first, str(len(chains) + 1)))
        for start, end, head, first in zip(
            mentions.start.tolist(), mentions.end.tolist(), mentions.head.tolist(), opener, strict=True
        )
        if members[first] > 1
    )
