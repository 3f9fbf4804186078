"""The features of all pairs at once, against one pair at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from disco2.annotation.english.coreference import possible_antecedents
from disco2.annotation.english.mention_features import (
    PAIR_FEATURES,
    mention_feature_sizes,
    mention_features,
    pair_features,
)
from disco2.annotation.english.mentions import read_mentions
from disco2.data import Document
from tests.annotation.english.parsed import parsed, parsed_documents
from tests.annotation.english.slow_features import rows_of, slow_pair_features


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
        (
            "(S (NP (NP (NNP Ann)) (CC and) (NP (NNP Bob))) (VP (VBD ran)))",
            "4:nsubj 3:cc 1:conj 0:root",
        )
    )
    mentions = read_mentions(document)
    assert mentions.number.tolist() == [2, 1, 1]
    assert mentions.gender.tolist() == [0, 2, 1]
