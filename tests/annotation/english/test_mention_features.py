"""The features of all pairs at once, against one pair at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from disco2.annotation.english.coreference import (
    PAIR_FEATURES,
    mention_feature_sizes,
    mention_features,
    pair_features,
    possible_antecedents,
)
from disco2.annotation.english.mentions import Mentions, read_mentions
from disco2.annotation.english.traits import Kind
from disco2.data import Document
from tests.annotation.english.parsed import parsed, parsed_documents

SUBJECT_TO_OBLIQUE = range(1, 6)
_NOT_COMPARED = "DT PDT PRP$ POS IN CC TO , : . -LRB- -RRB- `` '' HYPH WDT WP"
NOT_COMPARED = set(_NOT_COMPARED.split())


@dataclass(frozen=True)
class Row:
    """One mention, its attributes as plain numbers and its words as they are."""

    document: Document
    numbers: dict[str, int]

    def __getattr__(self, name: str) -> int:
        return self.numbers[name]

    @property
    def nominal(self) -> bool:
        return self.kind >= Kind.NAME

    @property
    def tags(self) -> list[str]:
        return [token.tag for token in self.document.tokens]

    @property
    def all_words(self) -> list[str]:
        return [token.text.lower() for token in self.document.tokens]

    @property
    def core_tokens(self) -> range:
        start, end = self.start, self.end
        while start < self.head and self.tags[start] in ("DT", "PDT", "PRP$"):
            start += 1
        return range(start, end - 1 if self.tags[end - 1] == "POS" and end - 1 > self.head else end)

    @property
    def key_token(self) -> int:
        key = self.head
        if self.kind == Kind.NAME:
            while key + 1 in self.core_tokens and self.tags[key + 1] in ("NNP", "NNPS"):
                key += 1
        return key

    @property
    def key_text(self) -> str:
        return self.all_words[self.key_token]

    @property
    def core_text(self) -> str:
        return " ".join(self.all_words[token] for token in self.core_tokens)

    @property
    def other_words(self) -> set[str]:
        found = [t for t in self.core_tokens if t != self.key_token and self.tags[t] not in NOT_COMPARED]
        return {self.all_words[token] for token in found[-6:]}

    @property
    def initials(self) -> str:
        letters = [self.document.tokens[token].text[0] for token in self.core_tokens]
        capitals = [letter for letter in letters if letter.isupper()]
        return "".join(capitals).lower() if len(capitals) > 1 else "-"

    @property
    def text(self) -> str:
        return " ".join(self.all_words[self.start : self.end])


def rows_of(document: Document, mentions: Mentions) -> list[Row]:
    names = [name for name in Mentions.__slots__ if name != "words"]
    return [
        Row(document, {name: int(getattr(mentions, name)[index]) for name in names})
        for index in range(len(mentions))
    ]


def slow_pair_features(rows: list[Row], i: int, a: int, nearer: list[int]) -> list[int]:
    """The features of one pair; ``nearer`` are the possible antecedents that come before a in i's row."""
    mention, antecedent = rows[i], rows[a]
    sentences = mention.sentence - antecedent.sentence
    near = 0 if sentences == 0 else 1 if sentences == 1 else 2 if sentences <= 3 else 3
    match = string_match(mention, antecedent)
    rank = sum(2 not in agreement(mention, rows[other]) for other in nearer)
    number, gender, person = agreement(mention, antecedent)
    return [
        step(sentences, (1, 2, 3, 4, 5, 7, 10, 15, 25)),
        step(i - a, (2, 3, 4, 5, 7, 10, 15, 25, 50)),
        match,
        match * 4 + near,
        9 * number + 3 * gender + person,
        structure(mention, antecedent),
        antecedent.role * 4 + near,
        mention.role * 15 + antecedent.role,
        step(rank, (1, 2, 3, 5, 10)) * 4 + near,
        surroundings(mention, antecedent),
        step(antecedent.seen_core, (1, 2, 4)) * 4 + near,
        parallel(mention, antecedent),
        min(antecedent.place, 3) * 4 + near,
    ]


def step(value: int, limits: tuple[int, ...]) -> int:
    """How many limits a value reaches."""
    return sum(value >= limit for limit in limits)


def string_match(i: Row, a: Row) -> int:
    if not i.nominal:
        return 0 if i.kind != a.kind else 9 if i.text == a.text else 10
    if not a.nominal:
        return 0
    if i.text == a.text:
        return 1
    if i.core_text == a.core_text:
        return 2
    if i.key_text == a.key_text:
        return 3 if i.other_words <= a.other_words else 4 if a.other_words <= i.other_words else 5
    if i.key_text in a.other_words:
        return 6
    if a.key_text in i.other_words:
        return 7
    return 8 if i.initials == a.core_text or a.initials == i.core_text else 0


def agreement(i: Row, a: Row) -> list[int]:
    pairs = [(i.number, a.number), (i.gender, a.gender), (i.person, a.person)]
    return [0 if not left or not right else 1 if left == right else 2 for left, right in pairs]


def structure(i: Row, a: Row) -> int:
    if i.sentence != a.sentence:
        return 0
    if i.governor == a.head and i.role in (9, 10):
        return {9: 4, 10: 8}[i.role]
    if a.start <= i.start and i.end <= a.end:
        return 2
    if i.start <= a.start and a.end <= i.end:
        return 3
    if a.governor == i.head and a.role == 1:
        return 5
    if a.governor >= 0:
        if i.governor == a.governor and i.role in SUBJECT_TO_OBLIQUE and a.role in SUBJECT_TO_OBLIQUE:
            return 7 if i.reflexive else 6
        if i.governor_above == a.governor:
            return 9 if i.role == 8 else 10
    return 11 if a.start <= i.governor < a.end else 1


def surroundings(i: Row, a: Row) -> int:
    apart = i.paragraph - a.paragraph
    quotes = 0
    if i.quote and a.quote:
        quotes = 1 if i.quote == a.quote else 2
    elif i.quote or a.quote:
        quotes = 3 if i.quote else 4
    return (apart if apart < 4 else 4 + apart % 2) * 5 + quotes


def parallel(i: Row, a: Row) -> int:
    words = i.all_words
    same_word = i.governor >= 0 and a.governor >= 0 and words[i.governor] == words[a.governor]
    return int(i.role == a.role > 0) + 2 * int(same_word)


@settings(max_examples=60, deadline=None)
@given(parsed_documents(), st.integers(1, 12), st.integers(0, 3))
def test_all_pairs_at_once_are_as_one_pair_at_a_time(document: Document, window: int, matches: int) -> None:
    mentions = read_mentions(document)
    antecedents = possible_antecedents(mentions, window=window, matches=matches)
    features = pair_features(mentions, 0, antecedents)
    rows = rows_of(document, mentions)
    for i, row in enumerate(antecedents.tolist()):
        real = [a for a in row if a >= 0]
        for column, a in enumerate(row):
            if a >= 0:
                expected = slow_pair_features(rows, i, a, real[: real.index(a)])
                assert features[i, column].tolist() == expected
    if len(mentions) > 2:
        assert (pair_features(mentions, 2, antecedents[2:]) == features[2:]).all()


@settings(max_examples=60, deadline=None)
@given(parsed_documents(), st.integers(1, 12), st.integers(0, 3))
def test_antecedents_are_the_nearest_and_the_same_key_words(
    document: Document, window: int, matches: int
) -> None:
    mentions = read_mentions(document)
    rows = rows_of(document, mentions)
    for i, row in enumerate(possible_antecedents(mentions, window=window, matches=matches).tolist()):
        near = list(range(i - 1, max(i - window, 0) - 1, -1))
        far = [
            a
            for a in range(i - window - 1, -1, -1)
            if rows[i].nominal and rows[a].nominal and rows[a].key_text == rows[i].key_text
        ][:matches]
        assert row == near + [-1] * (window - len(near)) + far + [-1] * (matches - len(far))


@settings(max_examples=60, deadline=None)
@given(parsed_documents())
def test_every_value_has_a_row_in_its_table(document: Document) -> None:
    mentions = read_mentions(document)
    if len(mentions):
        features = pair_features(mentions, 0, possible_antecedents(mentions, window=9, matches=2))
        assert (features.max(axis=(0, 1)) < np.array(list(PAIR_FEATURES.values()))).all()
        own = mention_features(document, mentions, {"the": 2, "dog": 3})
        assert own.min() >= 0
        assert (own.max(axis=0) < np.array(list(mention_feature_sizes(2).values()))).all()


def singing(*names: str) -> Document:
    """Each sang, in a sentence of its own."""
    return parsed(
        *(
            (
                f"(S (NP {' '.join(f'(NNP {word})' for word in name.split())}) (VP (VBD sang)))",
                f"{' '.join(['0:nsubj'] + ['1:flat'] * (len(name.split()) - 1))} 0:root",
            )
            for name in names
        )
    )


def test_a_last_name_takes_the_gender_of_its_latest_bearer() -> None:
    mentions = read_mentions(singing("Mrs. Fox", "Fox", "Jones", "Bob Jones", "Jones", "Mary Jones", "Jones"))
    assert mentions.gender.tolist() == [2, 2, 0, 1, 1, 2, 2]
    assert mentions.person.tolist() == [1, 1, 0, 1, 1, 1, 1]
    assert mentions.key[0] == mentions.key[1] != mentions.key[2] == mentions.key[3]
    assert mentions.seen_key.tolist() == [0, 1, 0, 1, 2, 3, 4]


def test_two_names_are_many() -> None:
    document = parsed(
        ("(S (NP (NP (NNP Ann)) (CC and) (NP (NNP Bob))) (VP (VBD ran)))", "4:nsubj 3:cc 1:conj 0:root")
    )
    mentions = read_mentions(document)
    assert mentions.number.tolist() == [2, 1, 1]
    assert mentions.gender.tolist() == [0, 2, 1]
