"""Mentions by their words (number, gender, kind), and features of a mention and its possible antecedent.

Every feature is a small number. Those of single mentions answer two questions: does it open a chain, and is
it a likely antecedent?
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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

WORDS_FILE = "words.toml"
REMEMBERED = 20_000  # words whose look-up is kept


class Number(IntEnum):
    UNKNOWN = 0
    SINGULAR = 1
    PLURAL = 2


class Gender(IntEnum):
    UNKNOWN = 0
    MALE = 1
    FEMALE = 2
    NEUTER = 3


class Person(IntEnum):
    """Whether it is a human being."""

    UNKNOWN = 0
    HUMAN = 1
    THING = 2


# Each pronoun -> its citation form.
CITATION: dict[str, str] = {
    form: forms.split()[0]
    for forms in (
        "i me my mine myself",
        "you your yours yourself yourselves ya u",
        "he him his himself",
        "she her hers herself",
        "it its itself",
        "we us our ours ourselves 's",
        "they them their theirs themselves themself 'em",
        "this",
        "that",
        "these",
        "those",
        "who whom whose",
        "one oneself",
    )
    for form in forms.split()
}
REFLEXIVES = frozenset(form for form in CITATION if form.endswith(("self", "selves")))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


INDEFINITES = _words(
    "someone somebody something anyone anybody anything everyone everybody everything no-one nobody nothing "
    "none all some any many most few several each both either neither another other others much more enough"
)
_SINGULAR_PRONOUNS = _words("i he she it this that one")
_PLURAL_PRONOUNS = _words("we they these those")
_GENDERED_PRONOUNS = {"he": Gender.MALE, "she": Gender.FEMALE, "it": Gender.NEUTER}
_PRONOUNS_OF_PEOPLE = _words("i you he she we who")
_PRONOUNS_OF_THINGS = _words("it this that these those")
_PLURAL_DETERMINERS = _words("these those both many few several all")
_SINGULAR_DETERMINERS = _words("a an this that each every another")


@cache
def word_lists() -> dict[str, frozenset[str]]:
    """The lists of ``words.toml`` by name."""
    text = (files(__package__) / WORDS_FILE).read_text(encoding="utf-8")
    return {name: frozenset(words.split()) for name, words in tomllib.loads(text).items()}


def _gender(male: bool, female: bool) -> Gender:
    if male == female:
        return Gender.UNKNOWN
    return Gender.MALE if male else Gender.FEMALE


def gender_of_word(word: str) -> Gender:
    """The gender of a title or a noun in lower case; a final full stop is ignored."""
    word = word.rstrip(".")
    return _gender(word in word_lists()["male_words"], word in word_lists()["female_words"])


def gender_of_name(name: str) -> Gender:
    """The gender of a first name in lower case; unknown if it is on both lists."""
    return _gender(name in word_lists()["male_names"], name in word_lists()["female_names"])


@lru_cache(maxsize=REMEMBERED)
def is_person_word(word: str) -> bool:
    """Whether a noun in lower case, singular or plural, denotes people."""
    stems = {word, word.rstrip("."), word.removesuffix("s"), word.removesuffix("es")}
    if word.endswith("ies"):
        stems.add(word[:-3] + "y")
    return any(stem in word_lists()["person_words"] or gender_of_word(stem) for stem in stems)


def number_of_noun(tag: str, determiner: str, *, coordinated: bool) -> Number:
    """The number of a phrase by its head's tag, else by its first word."""
    if coordinated or tag in ("NNS", "NNPS"):
        return Number.PLURAL
    if tag in ("NN", "NNP"):
        return Number.SINGULAR
    if determiner in _PLURAL_DETERMINERS:
        return Number.PLURAL
    return Number.SINGULAR if determiner in _SINGULAR_DETERMINERS else Number.UNKNOWN


_MAYBE_PERSON = ("er", "or", "ist", "ian", "man", "men", "ers", "ors", "ists", "ians")


class Traits(NamedTuple):
    number: Number
    gender: Gender
    person: Person


def pronoun_traits(citation: str) -> Traits:
    """The traits of a pronoun, given by its citation form."""
    number, person = Number.UNKNOWN, Person.UNKNOWN
    if citation in _SINGULAR_PRONOUNS:
        number = Number.SINGULAR
    elif citation in _PLURAL_PRONOUNS:
        number = Number.PLURAL
    if citation in _PRONOUNS_OF_PEOPLE:
        person = Person.HUMAN
    elif citation in _PRONOUNS_OF_THINGS:
        person = Person.THING
    return Traits(number, _GENDERED_PRONOUNS.get(citation, Gender.UNKNOWN), person)


def name_traits(words: Sequence[str], tag: str, *, coordinated: bool = False) -> Traits:
    """The traits of a name in lower case: by its title, else by its first name."""
    lists = word_lists()
    number = number_of_noun(tag, words[0], coordinated=coordinated)
    things = lists["thing_names"]  # the last words of places, times and offices
    if words[-1] in things or words[-1].rstrip(".") in things or (words[0] == "the" and len(words) == 2):
        return Traits(number, Gender.NEUTER, Person.THING)
    for word in words[:-1]:
        if gender := gender_of_word(word):
            return Traits(number, gender, Person.HUMAN)
    first = next((word for word in words if not is_person_word(word)), words[-1])
    if first in lists["male_names"] or first in lists["female_names"]:
        return Traits(number, gender_of_name(first), Person.HUMAN)
    titled = len(words) > 1 and is_person_word(words[0])
    return Traits(number, Gender.UNKNOWN, Person.HUMAN if titled else Person.UNKNOWN)


def noun_traits(head: str, tag: str, determiner: str, *, coordinated: bool) -> Traits:
    """The traits of any other phrase; a head that is not a word for a person counts as a thing."""
    number = number_of_noun(tag, determiner, coordinated=coordinated)
    if is_person_word(head):
        return Traits(number, gender_of_word(head), Person.HUMAN)
    if head.endswith(_MAYBE_PERSON):
        return Traits(number, Gender.UNKNOWN, Person.UNKNOWN)
    return Traits(number, Gender.NEUTER, Person.THING)


class Kind(IntEnum):
    """Pronouns by their citation form, names, and other nouns by their determiner."""

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

# The same in seven groups: first and second person, he/she/they, it and demonstratives, other pronouns,
# names, definite nouns, other nouns.
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
    """The kind of a mention by its head in lower case and its tag; None if it is not a pronoun."""
    if tag in ("PRP", "PRP$", "DT", "WP", "WP$"):
        citation = CITATION.get(head, "")
        if citation in _PRONOUNS:
            return _PRONOUNS[citation]
        return Kind.INDEFINITE if head in INDEFINITES else Kind.OTHER_PRONOUN
    return Kind.INDEFINITE if head in INDEFINITES else None


def noun_kind(head_tag: str, first_word: str, first_tag: str, *, possessor: bool) -> Kind:
    """The kind of any other mention; ``possessor`` if a genitive precedes the head."""
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
