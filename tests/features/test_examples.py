"""Relation -> Example: words, features, links and labels end up where they should."""

from __future__ import annotations

from dataclasses import replace

from disco2.features import FeatureExtractor, FeatureSettings
from disco2.features.extractor import UNKNOWN_WORD, ExampleEncoder
from tests.instances import instance, reasons_and_results

ROWS = {"Ann": 3, "slept": 5, ".": 7}


def encoder(**options: object) -> ExampleEncoder:
    settings = {"labels": ("Cause", "Result"), "extractor": None, "with_entities": True} | options
    return ExampleEncoder(word_row=lambda form: ROWS.get(form, UNKNOWN_WORD), **settings)  # type: ignore[arg-type]


def test_words_and_labels_are_numbered() -> None:
    pair = instance(1, ["Ann", "slept", "."], ["She", "slept", "."], "Result")
    unlabelled = replace(pair, gold=())
    first, second = encoder().encode([pair, unlabelled])
    assert first.first.words.tolist() == [3, 5, 7]
    assert first.second.words.tolist() == [0, 5, 7]
    assert (first.label, second.label) == (1, -1)
    assert first.relation == "d1:1"


def test_links_are_made_only_where_entities_count() -> None:
    pair = instance(1, ["Ann", "slept", "."], ["She", "slept", "."], "Result")
    (with_entities,) = encoder().encode([pair])
    (without,) = encoder(with_entities=False).encode([pair])
    assert len(with_entities.links) == 1
    assert with_entities.first.downward is not None
    assert without.links == ()
    assert without.first.downward is None


def test_documents_of_the_same_name_keep_their_own_mentions() -> None:
    pair = instance(1, ["Ann", "slept", "."], ["She", "slept", "."], "Result")
    silent = replace(pair, document=replace(pair.document, mentions=()))
    assert [len(example.links) for example in encoder().encode([silent, pair, silent])] == [0, 1, 0]


def test_features_are_those_of_the_extractor() -> None:
    instances = reasons_and_results(20, seed=1)
    extractor = FeatureExtractor.fit(instances, settings=FeatureSettings(minimum_count=2))
    fired = extractor.transform(instances)
    for row, example in zip(fired, encoder(extractor=extractor).encode(instances), strict=True):
        assert example.features.tolist() == row.tolist()
    assert encoder().encode(instances)[0].features.size == 0


def test_instances_that_differ_in_label_and_weight_alone_share_their_arrays() -> None:
    pair = instance(1, ["Ann", "slept", "."], ["She", "slept", "."], "Result")
    other = instance(2, ["Ann", "."], ["She", "slept", "."], "Result")
    heavy, relabelled = replace(pair, weight=2.0), replace(pair, gold=("Cause",))
    alone = [encoder().encode([one])[0] for one in (pair, other, heavy, relabelled)]
    together = encoder().encode([pair, other, heavy, relabelled])
    assert [(one.relation, one.label, one.weight) for one in together] == [
        (one.relation, one.label, one.weight) for one in alone
    ]
    assert together[0].first is together[2].first is together[3].first
    assert [one.second.words.tolist() for one in together] == [one.second.words.tolist() for one in alone]
