"""The built-in coreference annotator: links each mention to its best antecedent, or to none."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.english.mentions import (
    APPOSITION,
    CONJUNCT,
    OBLIQUE,
    POSSESSOR,
    ROLES,
    SUBJECT,
    Integers,
    Mentions,
    read_mentions,
)
from disco2.annotation.english.traits import FIRST_NOMINAL, GROUP_OF_KIND, GROUPS, KINDS, Gender
from disco2.data import Document, Mention

# Features of a mention and its possible antecedent, all small numbers. Those of single mentions answer
# two questions: does it open a chain, and is it a likely antecedent?

UNKNOWN_WORD = 0
NO_WORD = 1  # beyond the sentence, or where there is no such word
FIRST_WORD = 2  # the number of the vocabulary's first word

LEXICAL = ("head", "first", "last", "before", "after", "behind head", "governor")
_LENGTHS = np.array([0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 6, 7])
_SEEN = 3
_PLACES = 4
_TAG_NAMES = "NN NNS NNP NNPS PRP PRP$ DT CD JJ JJS RB VBG VBN FW $ UH"
_TAGS = {tag: number for number, tag in enumerate(_TAG_NAMES.split(), start=1)}
SMALL = {
    "kind and seen": KINDS * _SEEN * _SEEN,
    "role": ROLES,
    "length": int(_LENGTHS[-1]) + 1,
    "tag": max(_TAGS.values()) + 1,
    "traits": 3 * 4 * 3,
    "place": _PLACES * 3,
    "depth": 3,
    "quoted": 2,
}


def mention_feature_sizes(words: int) -> dict[str, int]:
    """The number of values of each feature, with a vocabulary of this size."""
    return {**dict.fromkeys(LEXICAL, words + FIRST_WORD), **SMALL}


def mention_features(document: Document, mentions: Mentions, vocabulary: Mapping[str, int]) -> Integers:
    """(mentions, features): the value of each feature, in the order of ``mention_feature_sizes``."""
    lexical = np.array(
        [vocabulary.get(token.text.lower(), UNKNOWN_WORD) for token in document.tokens] + [NO_WORD],
        dtype=np.int32,
    )
    beyond = len(document.tokens)
    first_of = np.array([sentence.start for sentence in document.sentences], dtype=np.int32)
    last_of = np.array([sentence.end for sentence in document.sentences], dtype=np.int32)
    start, end, head, sentence = mentions.start, mentions.end, mentions.head, mentions.sentence
    tags = [document.tokens[index].tag for index in head.tolist()]
    columns = [
        lexical[head],
        lexical[start],
        lexical[end - 1],
        lexical[np.where(start > first_of[sentence], start - 1, beyond)],
        lexical[np.where(end < last_of[sentence], end, beyond)],
        lexical[np.where(head + 1 < end, head + 1, beyond)],
        lexical[np.where(mentions.governor >= 0, mentions.governor, beyond)],
        (mentions.kind * _SEEN + np.minimum(mentions.seen_core, _SEEN - 1)) * _SEEN
        + np.minimum(mentions.seen_key, _SEEN - 1),
        mentions.role,
        _LENGTHS[np.minimum(end - start, len(_LENGTHS) - 1)],
        np.array([_TAGS.get(tag, 0) for tag in tags], dtype=np.int32),
        (mentions.number * 4 + mentions.gender) * 3 + mentions.person,
        np.minimum(mentions.place, _PLACES - 1) * 3 + np.minimum(sentence, 2),
        np.minimum(mentions.depth, 2),
        (mentions.quote > 0).astype(np.int32),
    ]
    return np.stack(columns, axis=1).astype(np.int32)


# Features of pairs, for all pairs of a block at once. 0 is also what pairs without an antecedent get, which
# the ranking masks. Each is combined with the kinds of the two mentions, as Durrett & Klein (2013) do.

Flags = NDArray[np.bool_]

# Which of few classes a distance, a rank or a count belongs to; the last class holds all larger ones.
_SENTENCES = np.array([0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 7, 7, 7, *[8] * 10, 9], dtype=np.int32)
_FEW_SENTENCES = np.array([0, 1, 2, 2, 3], dtype=np.int32)
_MENTIONS = np.array([0, 0, 1, 2, 3, 4, 4, 5, 5, 5, *[6] * 5, *[7] * 10, *[8] * 25, 9], dtype=np.int32)
_RANKS = np.array([0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 5], dtype=np.int32)
_COUNTS = np.array([0, 1, 2, 2, 3], dtype=np.int32)
_NEARNESS = int(_FEW_SENTENCES[-1]) + 1

MATCHES = 11
STRUCTURES = 12
PAIR_FEATURES = {
    "sentences": int(_SENTENCES[-1]) + 1,
    "mentions": int(_MENTIONS[-1]) + 1,
    "match": MATCHES,
    "match, nearness": MATCHES * _NEARNESS,
    "agreement": 27,
    "structure": STRUCTURES,
    "role, nearness": ROLES * _NEARNESS,
    "roles": ROLES * ROLES,
    "rank, nearness": (int(_RANKS[-1]) + 1) * _NEARNESS,
    "paragraph, quotation": 6 * 5,
    "salience, nearness": (int(_COUNTS[-1]) + 1) * _NEARNESS,
    "parallel": 4,
    "place, nearness": 4 * _NEARNESS,
}


def pair_features(mentions: Mentions, first: int, antecedents: Integers) -> NDArray[np.uint8]:
    """(rows, antecedents, features): for the mentions from ``first`` on, one row of ``antecedents`` each.

    In what follows, i is a column of mentions, (rows, 1), and a their antecedents, -1 for none.
    """
    m, a = mentions, antecedents
    i = np.arange(first, first + len(a), dtype=np.int32)[:, None]
    apart = m.sentence[i] - m.sentence[a]
    nearness = _class(_FEW_SENTENCES, apart)
    match = string_match(m, i, a)
    agreement, compatible = trait_agreement(m, i, a)
    # How many nearer antecedents are compatible as well.
    rank = np.cumsum(compatible, axis=1, dtype=np.int32) - compatible
    features: list[Integers] = [
        _class(_SENTENCES, apart),
        _class(_MENTIONS, i - a),
        match,
        match * _NEARNESS + nearness,
        agreement,
        structure(m, i, a),
        m.role[a] * _NEARNESS + nearness,
        m.role[i] * ROLES + m.role[a],
        _class(_RANKS, rank) * _NEARNESS + nearness,
        surroundings(m, i, a),
        _class(_COUNTS, m.seen_core[a]) * _NEARNESS + nearness,
        parallel(m, i, a),
        np.minimum(m.place[a], 3) * _NEARNESS + nearness,
    ]
    return np.stack(features, axis=-1).astype(np.uint8)


def string_match(m: Mentions, i: Integers, a: Integers) -> Integers:
    """How far two nouns or names are the same words, or two pronouns the same pronoun.

    0 not at all; 1 all words; 2 all but determiners; 3 the key word, and the antecedent has all other words
    of the mention; 4 the key word, and the mention has all of the antecedent's; 5 the key word only; 6 the
    mention's key is among the antecedent's words; 7 the reverse; 8 one is the other's acronym; pronouns: 9
    the same form; 10 another form of the same one.
    """
    result = np.zeros(a.shape, dtype=np.int32)
    nominal = m.kind >= FIRST_NOMINAL
    both = nominal[i] & nominal[a] & (a >= 0)
    rows, columns = np.nonzero(both)
    left, right = i[rows, 0], a[rows, columns]
    left_words, right_words = m.words[left], m.words[right]
    same_key = m.key[left] == m.key[right]
    # Few pairs share a word, so the expensive comparisons are made only for those.
    found = np.zeros(len(rows), dtype=np.int32)
    found[(m.acronym[left] == m.core[right]) | (m.core[left] == m.acronym[right])] = 8
    found[(left_words == m.key[right][:, None]).any(axis=1)] = 7
    found[(right_words == m.key[left][:, None]).any(axis=1)] = 6
    keyed = np.flatnonzero(same_key)
    found[keyed] = 5
    found[keyed[_all_among(right_words[keyed], left_words[keyed])]] = 4
    found[keyed[_all_among(left_words[keyed], right_words[keyed])]] = 3
    found[m.core[left] == m.core[right]] = 2
    found[m.string[left] == m.string[right]] = 1
    result[rows, columns] = found
    same_pronoun = ~nominal[i] & (m.kind[i] == m.kind[a]) & (a >= 0)
    return np.where(same_pronoun, np.where(m.string[i] == m.string[a], 9, 10), result)


def _all_among(words: Integers, others: Integers) -> Flags:
    """For each row, whether all of ``words`` are among the ``others``; -1 stands for no word."""
    among = (words[:, :, None] == others[:, None, :]).any(axis=2) | (words < 0)
    result: Flags = among.all(axis=1)
    return result


def trait_agreement(m: Mentions, i: Integers, a: Integers) -> tuple[Integers, Flags]:
    """Number, gender and humanity, each 0 not known, 1 the same, 2 different; and where none is different."""
    agreement = np.zeros(a.shape, dtype=np.int32)
    compatible = a >= 0
    for trait in (m.number, m.gender, m.person):
        left, right = trait[i], trait[a]
        known = (left > 0) & (right > 0)
        clash = known & (left != right)
        agreement = agreement * 3 + known + clash
        compatible = compatible & ~clash
    return agreement, compatible


def structure(m: Mentions, i: Integers, a: Integers) -> Integers:
    """The relation between two mentions of one sentence in its dependencies.

    0 in different sentences; 1 none of the others; 2 the mention is inside the antecedent; 3 the antecedent
    is inside the mention; 4 apposition; 5 the antecedent is the subject of the mention, a predicate; 6 both
    hang on one word; 7 the same, and the mention is reflexive; 8 conjuncts; 9 the mention is a possessor in a
    phrase that hangs on the antecedent's governor; 10 what the mention hangs on hangs on the antecedent's
    governor; 11 the mention's governor is inside the antecedent.
    """
    result = np.zeros(a.shape, dtype=np.int32)
    rows, columns = np.nonzero((m.sentence[i] == m.sentence[a]) & (a >= 0))
    left, right = i[rows, 0], a[rows, columns]
    governor, above = m.governor[left], m.governor_above[left]
    governor_a = m.governor[right]
    hangs = governor_a >= 0
    found = np.ones(len(rows), dtype=np.int32)
    found[(governor >= m.start[right]) & (governor < m.end[right])] = 11
    found[hangs & (above == governor_a)] = 10
    found[hangs & (above == governor_a) & (m.role[left] == POSSESSOR)] = 9
    arguments = (m.role >= SUBJECT) & (m.role <= OBLIQUE)
    together = hangs & (governor == governor_a) & arguments[left] & arguments[right]
    found[together] = 6
    found[together & (m.reflexive[left] > 0)] = 7
    found[(m.head[left] == governor_a) & (m.role[right] == SUBJECT)] = 5
    inside = (m.start[right] <= m.start[left]) & (m.end[left] <= m.end[right])
    found[inside] = 2
    found[(m.start[left] <= m.start[right]) & (m.end[right] <= m.end[left]) & ~inside] = 3
    found[(governor == m.head[right]) & (m.role[left] == CONJUNCT)] = 8
    found[(governor == m.head[right]) & (m.role[left] == APPOSITION)] = 4
    result[rows, columns] = found
    return result


def surroundings(m: Mentions, i: Integers, a: Integers) -> Integers:
    """Paragraphs between them, combined with 0 no quotation, 1 the same, 2 two, 3 only i's, 4 only a's.

    Paragraphs count 0 to 3, then 4 for all larger even and 5 for all larger odd numbers: in a dialogue
    of two people, the parity separates the speakers.
    """
    apart = m.paragraph[i] - m.paragraph[a]
    apart = np.where(apart < 4, apart, 4 + apart % 2)
    left, right = m.quote[i], m.quote[a]
    both = np.where(left == right, 1, 2)
    one = np.where(left > 0, 3, np.where(right > 0, 4, 0))
    result: Integers = np.maximum(apart, 0) * 5 + np.where((left > 0) & (right > 0), both, one)
    return result


def parallel(m: Mentions, i: Integers, a: Integers) -> Integers:
    """Whether both have the same role (1), hang on the same word form (2), both (3), or neither (0)."""
    same_role = (m.role[i] == m.role[a]) & (m.role[i] > 0)
    same_word = (m.governor_word[i] == m.governor_word[a]) & (m.governor_word[i] >= 0)
    result: Integers = same_role + 2 * same_word.astype(np.int32)
    return result


def _class(classes: Integers, values: Integers) -> Integers:
    return classes[np.clip(values, 0, len(classes) - 1)]


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
    return mentions.kind[first : first + len(antecedents), None] * KINDS + mentions.kind[antecedents]


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
    def load(cls, files: Mapping[str, bytes], vectors: object = None) -> MentionRanker:
        """The annotator in the files of its folder; it needs no word vectors."""
        described = json.loads(files[MODEL_FILE])
        arrays = load(files[TABLES_FILE])
        words = tuple(described["words"])
        features = described["mention_features"], described["pair_features"]
        if (described["format"], *features) != (FORMAT, mention_feature_sizes(len(words)), PAIR_FEATURES):
            raise ValueError("it was made for another version of its features")
        tables = Tables(**{name: arrays[name].astype(np.float32) for name in TABLES})
        return cls(tables, words, int(described["window"]), int(described["matches"]))

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
        man or woman of another gender, nor to a chain that has a pronoun of another gender. Whether a noun or
        a name is a thing is a guess, which is a feature of the ranking.
        """
        starts = offsets(mention_feature_sizes(len(self.words)))
        rows = mention_features(document, mentions, self._vocabulary) + starts
        new = new_scores(self.tables, rows, mentions)
        own = antecedent_scores(self.tables, rows)
        all_antecedents = possible_antecedents(mentions, window=self.window, matches=self.matches)
        gender: Integers = np.where(mentions.kind < FIRST_NOMINAL, mentions.gender, 0)
        known_gender = np.where(mentions.gender == Gender.NEUTER, 0, mentions.gender)
        chain_gender = gender.copy()  # at the chain's first mention
        openers = np.arange(len(mentions), dtype=np.int32)
        for first in range(0, len(mentions), BLOCK):
            antecedents = all_antecedents[first : first + BLOCK]
            features = pair_features(mentions, first, antecedents)
            scores = pair_scores(self.tables, mentions, first, antecedents, features, own)
            for row, choice in enumerate(np.argmax(scores, axis=1).tolist()):
                mention = first + row
                if gender[mention]:
                    for theirs in (chain_gender[openers[antecedents[row]]], known_gender[antecedents[row]]):
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
