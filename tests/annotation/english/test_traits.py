"""What words alone say: lists of names and nouns, pronouns, number, gender."""

from __future__ import annotations

from collections import Counter

import pytest

from disco2.annotation.english.traits import (
    Gender,
    Kind,
    Number,
    Person,
    first_names,
    gender_of_word,
    is_person_word,
    name_traits,
    noun_kind,
    noun_traits,
    pronoun_kind,
    pronoun_traits,
    word_lists,
)


def test_the_lists_are_in_small_letters_and_long_enough() -> None:
    lists = word_lists()
    assert all(word == word.lower() for words in (*lists.values(), first_names()) for word in words)
    assert min(Counter(first_names().values())[gender] for gender in (Gender.MALE, Gender.FEMALE)) > 10_000
    assert not lists["male_words"] & lists["female_words"]


@pytest.mark.parametrize(
    ("name", "gender"),
    [
        ("bob", Gender.MALE), ("john", Gender.MALE), ("tina", Gender.FEMALE), ("mary", Gender.FEMALE),
        ("demba", Gender.MALE), ("kavya", Gender.FEMALE), ("andrea", Gender.UNKNOWN), ("zxq", Gender.UNKNOWN),
        ("paris", Gender.NEUTER),
    ],
)  # fmt: skip
def test_first_names(name: str, gender: Gender) -> None:
    assert name_traits([name], "NNP").gender is gender


def test_nouns() -> None:
    assert gender_of_word("mr.") is Gender.MALE
    assert gender_of_word("aunt") is Gender.FEMALE
    assert all(map(is_person_word, ("teacher", "teachers", "child", "secretaries", "witnesses", "mother")))
    assert not any(map(is_person_word, ("table", "tables", "idea")))


@pytest.mark.parametrize(
    ("words", "tag", "traits"),
    [
        ("bob", "NNP", (Number.SINGULAR, Gender.MALE, Person.HUMAN)),
        ("tina smith", "NNP", (Number.SINGULAR, Gender.FEMALE, Person.HUMAN)),
        ("mrs. robert smith", "NNP", (Number.SINGULAR, Gender.FEMALE, Person.HUMAN)),
        ("president mary lamb", "NNP", (Number.SINGULAR, Gender.FEMALE, Person.HUMAN)),
        ("captain quux", "NNP", (Number.SINGULAR, Gender.UNKNOWN, Person.HUMAN)),
        ("bob jones university", "NNP", (Number.SINGULAR, Gender.NEUTER, Person.THING)),
        ("the quux", "NNP", (Number.SINGULAR, Gender.NEUTER, Person.THING)),
        ("new mexico", "NNP", (Number.SINGULAR, Gender.NEUTER, Person.THING)),
        ("quux", "NNP", (Number.SINGULAR, Gender.UNKNOWN, Person.UNKNOWN)),
        ("the quuxes", "NNPS", (Number.PLURAL, Gender.NEUTER, Person.THING)),
    ],
)
def test_traits_of_names(words: str, tag: str, traits: tuple[int, int, int]) -> None:
    assert name_traits(words.split(), tag) == traits


def test_traits_of_nouns_and_pronouns() -> None:
    assert noun_traits("table", "NN", "the", coordinated=False) == (1, Gender.NEUTER, Person.THING)
    assert noun_traits("women", "NNS", "the", coordinated=False) == (2, Gender.FEMALE, Person.HUMAN)
    assert noun_traits("dog", "NN", "a", coordinated=True)[0] is Number.PLURAL
    assert noun_traits("blorper", "NN", "a", coordinated=False) == (1, Gender.UNKNOWN, Person.UNKNOWN)
    assert pronoun_traits("she") == (Number.SINGULAR, Gender.FEMALE, Person.HUMAN)
    assert pronoun_traits("they") == (Number.PLURAL, Gender.UNKNOWN, Person.UNKNOWN)


@pytest.mark.parametrize(
    ("word", "tag", "kind"),
    [
        ("him", "PRP", Kind.HE), ("herself", "PRP", Kind.SHE), ("our", "PRP$", Kind.WE),
        ("those", "DT", Kind.THESE), ("everyone", "NN", Kind.INDEFINITE), ("thee", "PRP", Kind.OTHER_PRONOUN),
        ("dog", "NN", None),
    ],
)  # fmt: skip
def test_kinds_of_pronouns(word: str, tag: str, kind: Kind | None) -> None:
    assert pronoun_kind(word, tag) is kind


def test_kinds_of_nouns() -> None:
    assert noun_kind("NNP", "the", "DT", possessor=False) is Kind.NAME
    assert noun_kind("NN", "the", "DT", possessor=False) is Kind.DEFINITE
    assert noun_kind("NN", "the", "DT", possessor=True) is Kind.POSSESSED
    assert noun_kind("NN", "her", "PRP$", possessor=False) is Kind.POSSESSED
    assert noun_kind("NN", "that", "DT", possessor=False) is Kind.DEMONSTRATIVE
    assert noun_kind("NN", "an", "DT", possessor=False) is Kind.ARTICLE_A
    assert noun_kind("NNS", "two", "CD", possessor=False) is Kind.QUANTIFIED
    assert noun_kind("NNS", "dogs", "NNS", possessor=False) is Kind.BARE
