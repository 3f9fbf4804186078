"""Fitting, transforming, storing, and what it costs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.bundle.folder import UNREADABLE
from disco2.data import Dependencies, Instance
from disco2.features import FeatureExtractor, FeatureSettings
from tests.features.feature_documents import (
    make_document,
    make_relation,
    random_instances,
    read_brackets,
    seeded,
)

CHOSEN = ("predicates", "attachment", "openings")  # as many as asked for, the rest with a switch
SWITCHED = ("layout", "overlap")
FURTHER = (*CHOSEN, *SWITCHED)
WORDS = ["ran", "run", "Runs", "the", "The", ",", "hungry"]
SMALL = FeatureSettings(word_pairs=9, production_rules=8, dependency_rules=7, minimum_count=2, first_words=2)
MANY: dict[str, Any] = {**dict.fromkeys(CHOSEN, 100), **dict.fromkeys(SWITCHED, True)}
EVERYTHING = replace(SMALL, **MANY)


def hungry_instance(gold: tuple[str, ...] = ()) -> Instance:
    first, first_words = read_brackets("(S (NP (NNP Bo)) (VP (VBD ate) (NP (NN ham))))")
    second, second_words = read_brackets("(S (NP (PRP He)) (VP (VBD was) (ADJP (JJ hungry))))")
    doc = make_document(
        (first_words, first, Dependencies((1, -1, 1), ("nsubj", "root", "obj"))),
        (second_words, second, Dependencies((2, 2, -1), ("nsubj", "cop", "root"))),
    )
    return Instance(
        make_relation(doc, range(3), range(3, 6)), doc, gold, following=make_relation(doc, range(3, 6), [0])
    )


def fired(extractor: FeatureExtractor, instance: Instance) -> set[str]:
    return {extractor.names[column] for column in extractor.transform([instance])[0]}


def test_a_relation_by_hand() -> None:
    settings = FeatureSettings(minimum_count=1, first_words=1)
    extractor = FeatureExtractor.fit([hungry_instance(("Cause",))], settings=settings)
    assert fired(extractor, hungry_instance()) == {
        *(f"pair:{first}|{second}" for first in ("bo", "at", "ham") for second in ("he", "wa", "hungri")),
        "arg1:S -> NP VP",
        "arg1:NP -> NNP",
        "arg1:VP -> VBD NP",
        "arg1:NP -> NN",
        "arg1:NNP -> Bo",
        "arg1:VBD -> ate",
        "arg1:NN -> ham",
        "arg2:S -> NP VP",
        "arg2:NP -> PRP",
        "arg2:VP -> VBD ADJP",
        "arg2:ADJP -> JJ",
        "arg2:PRP -> He",
        "arg2:VBD -> was",
        "arg2:JJ -> hungry",
        "both:S -> NP VP",
        "arg1:ate <- <nsubj> <obj>",
        "arg2:hungry <- <nsubj> <cop>",
        "first:arg1[1]=bo",
        "first:arg2[1]=he",
        "context:arg2 equals following arg1",
    }


@pytest.mark.parametrize("family", FURTHER)
def test_each_setting_adds_its_family_and_nothing_else(family: str) -> None:
    instances = random_instances(seeded(1), 40, words=WORDS, classes=["X", "Y"])
    before = FeatureExtractor.fit(instances, settings=SMALL)
    after = FeatureExtractor.fit(instances, settings=replace(SMALL, **{family: MANY[family]}))
    added = [name for name in after.names if name.startswith(f"{family}:")]
    assert len(added) == after.width - before.width > 0
    assert [name for name in after.names if name not in added] == list(before.names)
    counts = np.bincount(np.concatenate(after.transform(instances)), minlength=after.width)
    assert all(counts[after.names.index(name)] >= SMALL.minimum_count for name in added)


def test_unlabelled_relations_do_not_count() -> None:
    instances = random_instances(seeded(3), 30, words=WORDS, classes=["X", "Y"])
    others = random_instances(seeded(4), 30, words=WORDS, classes=["X", "Y"])
    unlabelled = [Instance(instance.relation, instance.document) for instance in others]
    assert FeatureExtractor.fit(instances + unlabelled, settings=SMALL) == FeatureExtractor.fit(
        instances, settings=SMALL
    )


def test_nothing_to_learn_from_leaves_the_context() -> None:
    for instances in ([], [hungry_instance()]):
        extractor = FeatureExtractor.fit(instances, settings=SMALL)
        assert extractor.width == 6
        assert extractor.transform([hungry_instance()])[0].tolist() == [5]


def test_no_features_at_all() -> None:
    settings = FeatureSettings(word_pairs=0, production_rules=0, dependency_rules=0, context=False)
    extractor = FeatureExtractor.fit([hungry_instance(("X",))] * 9, settings=settings)
    assert extractor.names == ()
    assert [row.tolist() for row in extractor.transform([hungry_instance()])] == [[]]


@given(st.integers(0, 2**32))
def test_a_stored_extractor_does_the_same(seed: int) -> None:
    rng = seeded(seed)
    instances = random_instances(rng, 12, words=WORDS, classes=["X", "Y"])
    extractor = FeatureExtractor.fit(instances[:8], settings=rng.choice([SMALL, EVERYTHING]))
    again = FeatureExtractor.from_json(json.loads(json.dumps(extractor.to_json())))
    assert again == extractor
    assert again.names == extractor.names
    for before, after in zip(extractor.transform(instances), again.transform(instances), strict=True):
        assert before.tolist() == after.tolist()


@given(st.integers(0, 2**32))
def test_the_order_of_the_relations_does_not_matter(seed: int) -> None:
    rng = seeded(seed)
    instances = random_instances(rng, 10, words=WORDS, classes=["X", "Y", "Z"])
    extractor = FeatureExtractor.fit(instances, settings=EVERYTHING)
    rng.shuffle(instances)
    assert FeatureExtractor.fit(instances, settings=EVERYTHING) == extractor


@given(st.integers(0, 2**32))
def test_rows_are_sorted_and_fire_where_the_training_saw_them(seed: int) -> None:
    instances = random_instances(seeded(seed), 10, words=WORDS, classes=["X", "Y"])
    extractor = FeatureExtractor.fit(instances, settings=EVERYTHING)
    rows = extractor.transform(instances)
    for row in rows:
        assert row.dtype == np.int32
        assert row.tolist() == sorted(set(row.tolist()))
    seen = np.bincount(np.concatenate(rows), minlength=extractor.width)[:-6]
    assert np.all(seen >= SMALL.minimum_count)


GOOD: dict[str, Any] = FeatureExtractor.fit([], settings=SMALL).to_json()
FULL: dict[str, Any] = FeatureExtractor.fit([], settings=EVERYTHING).to_json()


def test_descriptions_of_older_versions_are_read() -> None:
    """Without the further families, and with one that is gone and was off."""
    settings = {key: value for key, value in GOOD["settings"].items() if key not in FURTHER}
    settings["neighbouring_relations"] = False
    old = {key: value for key, value in GOOD.items() if key not in FURTHER} | {"neighbouring_relations": []}
    assert FeatureExtractor.from_json({**old, "settings": settings}).to_json() == GOOD


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        [],
        {},
        {**GOOD, "settings": {"word_pairs": -1}},
        {**GOOD, "settings": {"no_such_setting": 1}},
        {**GOOD, "settings": None},
        {**GOOD, "word_pairs": {"a": "b"}},
        {**GOOD, "word_pairs": [["a"]]},
        {**GOOD, "word_pairs": [["a", "b"], ["a", "b"]]},
        {**GOOD, "production_rules": [["arg1", 3]]},
        {**GOOD, "first_words": [["arg1", "one", "but"]]},
        {key: value for key, value in GOOD.items() if key != "dependency_rules"},
        {**GOOD, "predicates": ["arg1 negated"]},  # none wanted
        *({**GOOD, family: ["arg1 comes first"]} for family in SWITCHED),  # not switched on
        {**FULL, "predicates": "arg1 negated"},
        {**FULL, "openings": [["arg1", "is"]]},
        {**FULL, "openings": ["arg1 is 'no'", "arg1 is 'no'"]},
        {key: value for key, value in FULL.items() if key != "attachment"},
        *({key: value for key, value in FULL.items() if key != family} for family in SWITCHED),
        *({**FULL, "settings": FULL["settings"] | {"openings": wrong}} for wrong in (True, -1, 2.5, None)),
    ],
)
def test_damaged_descriptions_are_refused(damaged: object) -> None:
    with pytest.raises(UNREADABLE):
        FeatureExtractor.from_json(damaged)


READABLE = {
    "pair:rain|cancel": "stem 'rain' in arg1, 'cancel' in arg2",
    "both:NP -> DT NN": "NP -> DT NN in both arguments",
    "arg2:fell <- <nsubj>": "fell <- <nsubj> in arg2",
    "first:arg1[2]=was": "word 2 of arg1 is 'was'",
    "predicates:arg1 negated": "arg1 negated",
    "predicates:tenses: past, present": "tenses: past, present",
    "attachment:arg2 hangs in arg1 as advcl VBG": "arg2 hangs in arg1 as advcl VBG",
    "openings:arg1 begins with 'there was'": "arg1 begins with 'there was'",
    "layout:arg1 comes first": "arg1 comes first",
    "overlap:shared nouns: 2": "shared nouns: 2",
}
CONTEXT = ["previous embedded in arg1", "following embedded in arg2"]


def test_names_follow_the_columns() -> None:
    extractor = FeatureExtractor(
        FeatureSettings(),
        {
            "word_pairs": (("rain", "cancel"),),
            "production_rules": (("both", "NP -> DT NN"),),
            "dependency_rules": (("arg2", "fell <- <nsubj>"),),
            "first_words": (("arg1", 2, "was"),),
            "predicates": ("arg1 negated", "tenses: past, present"),
            "attachment": ("arg2 hangs in arg1 as advcl VBG",),
            "openings": ("arg1 begins with 'there was'",),
            "layout": ("arg1 comes first",),
            "overlap": ("shared nouns: 2",),
        },
    )
    assert list(extractor.names[:-6]) == list(READABLE)
    readable = list(extractor.readable_names)
    assert readable[:-6] == list(READABLE.values())
    assert readable[-6:-4] == CONTEXT
