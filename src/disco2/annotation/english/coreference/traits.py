"""Number, gender and humanity of a mention, by its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from disco2.annotation.english.coreference.lexicon import (
    Gender,
    Number,
    Person,
    gender_of_name,
    gender_of_pronoun,
    gender_of_word,
    is_first_name,
    is_person_word,
    is_thing_name,
    number_of_noun,
    number_of_pronoun,
    person_of_pronoun,
)

_MAYBE_PERSON = ("er", "or", "ist", "ian", "man", "men", "ers", "ors", "ists", "ians")


class Traits(NamedTuple):
    number: Number
    gender: Gender
    person: Person


def pronoun_traits(citation: str) -> Traits:
    """The traits of a pronoun, given by the form it is cited by."""
    return Traits(number_of_pronoun(citation), gender_of_pronoun(citation), person_of_pronoun(citation))


def name_traits(words: Sequence[str], tag: str, *, coordinated: bool = False) -> Traits:
    """The traits of a name, its words in small letters: by its title, else by its first name."""
    number = number_of_noun(tag, words[0], coordinated=coordinated)
    if is_thing_name(words[-1]) or (words[0] == "the" and len(words) == 2):
        return Traits(number, Gender.NEUTER, Person.THING)
    for word in words[:-1]:
        if gender := gender_of_word(word):
            return Traits(number, gender, Person.HUMAN)
    first = next((word for word in words if not is_person_word(word)), words[-1])
    if is_first_name(first):
        return Traits(number, gender_of_name(first), Person.HUMAN)
    if len(words) > 1 and is_person_word(words[0]):
        return Traits(number, Gender.UNKNOWN, Person.HUMAN)
    return Traits(number, Gender.UNKNOWN, Person.UNKNOWN)


def noun_traits(head: str, tag: str, determiner: str, *, coordinated: bool) -> Traits:
    """The traits of any other phrase; what is not known for a person's word is taken for a thing."""
    number = number_of_noun(tag, determiner, coordinated=coordinated)
    if is_person_word(head):
        return Traits(number, gender_of_word(head), Person.HUMAN)
    if head.endswith(_MAYBE_PERSON):
        return Traits(number, Gender.UNKNOWN, Person.UNKNOWN)
    return Traits(number, Gender.NEUTER, Person.THING)
