"""The kinds of mentions, which every feature is combined with."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from disco2.annotation.english.coreference.lexicon import CITATION, INDEFINITES


class Kind(IntEnum):
    """Pronouns by the form they are cited by, names, and other nouns by their determiner."""

    FIRST_PERSON = 0
    YOU = 1
    HE = 2
    SHE = 3
    IT = 4
    WE = 5
    THEY = 6
    THIS = 7
    THAT = 8
    THESE = 9
    OTHER_PRONOUN = 10
    INDEFINITE = 11
    NAME = 12
    DEFINITE = 13
    DEMONSTRATIVE = 14
    POSSESSED = 15
    ARTICLE_A = 16
    BARE = 17
    QUANTIFIED = 18


KINDS = len(Kind)
FIRST_NOMINAL = Kind.NAME  # kinds from here on are not pronouns

# The same in seven groups: those who speak, he/she/they, it and demonstratives, other pronouns, names,
# definite nouns, other nouns.
GROUP_OF_KIND = np.array([0, 0, 1, 1, 2, 0, 1, 2, 2, 2, 3, 3, 4, 5, 5, 5, 6, 6, 6], dtype=np.int32)
GROUPS = int(GROUP_OF_KIND.max()) + 1

_PRONOUNS = {
    "i": Kind.FIRST_PERSON,
    "you": Kind.YOU,
    "he": Kind.HE,
    "she": Kind.SHE,
    "it": Kind.IT,
    "we": Kind.WE,
    "they": Kind.THEY,
    "this": Kind.THIS,
    "that": Kind.THAT,
    "these": Kind.THESE,
    "those": Kind.THESE,
}
_DEMONSTRATIVES = frozenset({"this", "that", "these", "those"})


def pronoun_kind(head: str, tag: str) -> Kind | None:
    """The kind of a mention whose head is a pronoun, given in small letters with its tag; else None."""
    if tag in ("PRP", "PRP$", "DT", "WP", "WP$"):
        citation = CITATION.get(head, "")
        if citation in _PRONOUNS:
            return _PRONOUNS[citation]
        return Kind.INDEFINITE if head in INDEFINITES else Kind.OTHER_PRONOUN
    return Kind.INDEFINITE if head in INDEFINITES else None


def noun_kind(head_tag: str, first_word: str, first_tag: str, *, possessor: bool) -> Kind:
    """The kind of any other mention; ``possessor`` where a genitive stands before the head."""
    if head_tag in ("NNP", "NNPS"):
        return Kind.NAME
    if first_tag == "PRP$" or possessor:
        return Kind.POSSESSED
    if first_word == "the":
        return Kind.DEFINITE
    if first_tag == "DT":
        if first_word in _DEMONSTRATIVES:
            return Kind.DEMONSTRATIVE
        return Kind.ARTICLE_A if first_word in ("a", "an") else Kind.QUANTIFIED
    return Kind.QUANTIFIED if first_tag in ("CD", "PDT") or first_word in INDEFINITES else Kind.BARE
