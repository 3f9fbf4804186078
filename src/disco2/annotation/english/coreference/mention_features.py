"""Features of single mentions, for two questions: does it open a chain, and is it a likely antecedent?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from disco2.annotation.english.coreference.attributes import Integers, Mentions
from disco2.annotation.english.coreference.kinds import KINDS
from disco2.annotation.english.coreference.token_context import ROLES
from disco2.records import Document

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
    """How many values each feature has, with a vocabulary of so many words."""
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
