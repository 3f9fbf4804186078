"""Mentions by their words: number, gender, humanity and kind."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from enum import IntEnum
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

WORDS_FILE = "words.toml"
NAMES_FILE = "names.txt"
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
_PRONOUN_NUMBER = dict.fromkeys(_words("i he she it this that one"), Number.SINGULAR)
_PRONOUN_NUMBER |= dict.fromkeys(_words("we they these those"), Number.PLURAL)
_PRONOUN_GENDER = {"he": Gender.MALE, "she": Gender.FEMALE, "it": Gender.NEUTER}
_PRONOUN_PERSON = dict.fromkeys(_words("i you he she we who"), Person.HUMAN)
_PRONOUN_PERSON |= dict.fromkeys(_words("it this that these those"), Person.THING)
_PLURAL_DETERMINERS = _words("these those both many few several all")
_SINGULAR_DETERMINERS = _words("a an this that each every another")


@cache
def word_lists() -> dict[str, frozenset[str]]:
    """The lists of ``words.toml`` by name."""
    text = (files(__package__) / WORDS_FILE).read_text(encoding="utf-8")
    return {name: frozenset(words.split()) for name, words in tomllib.loads(text).items()}


@cache
def first_names() -> dict[str, Gender]:
    """First names with the gender they are given to, unknown for both: ``names.txt`` and ``words.toml``."""
    found: dict[str, Gender] = {}
    for line in (files(__package__) / NAMES_FILE).read_text(encoding="utf-8").splitlines():
        gender, *names = line.split()
        if gender != "#":
            found |= dict.fromkeys(names, Gender[gender.upper()])
    male, female = word_lists()["male_names"], word_lists()["female_names"]
    found |= dict.fromkeys(male, Gender.MALE) | dict.fromkeys(female, Gender.FEMALE)
    return found | dict.fromkeys(male & female, Gender.UNKNOWN)


def gender_of_word(word: str) -> Gender:
    """The gender of a title or a noun in lower case."""
    male, female = (word.rstrip(".") in word_lists()[f"{gender}_words"] for gender in ("male", "female"))
    if male == female:
        return Gender.UNKNOWN
    return Gender.MALE if male else Gender.FEMALE


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
    number = _PRONOUN_NUMBER.get(citation, Number.UNKNOWN)
    gender = _PRONOUN_GENDER.get(citation, Gender.UNKNOWN)
    return Traits(number, gender, _PRONOUN_PERSON.get(citation, Person.UNKNOWN))


def name_traits(words: Sequence[str], tag: str, *, coordinated: bool = False) -> Traits:
    """The traits of a name in lower case: by its title, else by its first name."""
    lists = word_lists()
    number = number_of_noun(tag, words[0], coordinated=coordinated)
    things = lists["thing_names"]  # the last words of places, times and offices
    if words[-1] in things or words[-1].rstrip(".") in things or (words[0] == "the" and len(words) == 2):
        return Traits(number, Gender.NEUTER, Person.THING)
    for word in words[:-1] or words:  # a title, or kinship alone: "Mother"
        if gender := gender_of_word(word):
            return Traits(number, gender, Person.HUMAN)
    first = next((word for word in words if not is_person_word(word)), words[-1])
    if first in first_names():
        return Traits(number, first_names()[first], Person.HUMAN)
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


# Pronouns by their citation form, names, and other nouns by their determiner.
Kind = IntEnum(
    "Kind",
    "FIRST_PERSON YOU HE SHE IT WE THEY THIS THAT THESE OTHER_PRONOUN INDEFINITE NAME DEFINITE DEMONSTRATIVE "
    "POSSESSED ARTICLE_A BARE QUANTIFIED",
    start=0,
)
KINDS = len(Kind)
FIRST_NOMINAL = Kind.NAME  # kinds from here on are not pronouns

# The same in seven groups: first and second person, he/she/they, it and demonstratives, other pronouns,
# names, definite nouns, other nouns.
GROUP_OF_KIND = np.array([0, 0, 1, 1, 2, 0, 1, 2, 2, 2, 3, 3, 4, 5, 5, 5, 6, 6, 6], dtype=np.int32)
GROUPS = int(GROUP_OF_KIND.max()) + 1

_CITED = ("i", "you", "he", "she", "it", "we", "they", "this", "that", "these")
_PRONOUNS = dict(zip(_CITED, Kind, strict=False)) | {"those": Kind.THESE}
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
