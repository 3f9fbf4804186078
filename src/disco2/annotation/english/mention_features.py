"""Features of single mentions, and of a mention with a possible antecedent.

Every feature is a small number. Those of single mentions answer two questions: does it open a chain, and is
it a likely antecedent?
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.english.lexicon import FIRST_NOMINAL, KINDS
from disco2.annotation.english.mentions import (
    APPOSITION,
    CONJUNCT,
    OBLIQUE,
    POSSESSOR,
    ROLES,
    SUBJECT,
    Integers,
    Mentions,
)
from disco2.data import Document

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
_TOTALS = np.array([0, 1, 2, 3, 3, *[4] * 5, *[5] * 10, 6], dtype=np.int32)
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
    "frequency, nearness": (int(_TOTALS[-1]) + 1) * _NEARNESS,
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
        _class(_TOTALS, m.all_key[a]) * _NEARNESS + nearness,
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
