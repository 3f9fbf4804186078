"""Mutual information and selection against slow twins that count with plain dictionaries."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.data import Argument, Document, Instance
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.features.clauses import attachment_features, opening_features, predicate_features
from disco2.features.extractor import mutual_information
from disco2.features.pairs_and_rules import argument_dependency_rules, argument_productions, stem
from tests.features.feature_documents import random_instances, seeded


def slow_information(cells: list[list[int]]) -> float:
    """Mutual information in bits of a table of counts, from the definition."""
    total = sum(map(sum, cells))
    information = 0.0
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            if cell:
                expected = sum(cells[i]) * sum(other[j] for other in cells)
                information += cell / total * math.log2(cell * total / expected)
    return information


def slow_scores(features: list[set[str]], labels: list[tuple[str, ...]]) -> dict[str, float]:
    """The score of every feature: a 2 x 2 table over training instances for each class."""
    training = [(present, label) for present, names in zip(features, labels, strict=True) for label in names]
    scores = {}
    for feature in set().union(*features):
        scores[feature] = max(
            slow_information(
                [
                    [
                        sum(
                            (feature in present) is has and (label == name) is is_class
                            for present, label in training
                        )
                        for is_class in (True, False)
                    ]
                    for has in (True, False)
                ]
            )
            for name in {label for _, label in training}
        )
    return scores


def slow_selection(
    features: list[set[str]], labels: list[tuple[str, ...]], *, limit: int, minimum_count: int
) -> list[str]:
    scores = slow_scores(features, labels)
    frequent = [name for name in scores if sum(name in present for present in features) >= minimum_count]
    return sorted(frequent, key=lambda name: (-round(scores[name], 12), name))[:limit]


def slow_pairs(instance: Instance) -> set[str]:
    doc, relation = instance.document, instance.relation
    return {
        f"pair:{stem(first)}|{stem(second)}"
        for first in doc.words(relation.arg1.tokens)
        for second in doc.words(relation.arg2.tokens)
    }


def slow_rules(instance: Instance, rules_of: Callable[[Document, Argument], set[str]]) -> set[str]:
    first = rules_of(instance.document, instance.relation.arg1)
    second = rules_of(instance.document, instance.relation.arg2)
    return (
        {f"arg1:{rule}" for rule in first}
        | {f"arg2:{rule}" for rule in second}
        | {f"both:{rule}" for rule in first & second}
    )


def slow_texts(instance: Instance, family: str, features_of: Callable[[Instance], set[str]]) -> set[str]:
    return {f"{family}:{text}" for text in features_of(instance)}


@given(
    st.integers(1, 5).flatmap(
        lambda classes: st.lists(
            st.lists(st.integers(0, 60), min_size=classes, max_size=classes), min_size=1, max_size=6
        )
    )
)
def test_information_is_that_of_the_dense_tables(rows: list[list[int]]) -> None:
    joint = np.array(rows)
    classes = joint.max(axis=0) + 1
    total = int(classes.sum())
    information = mutual_information(joint, classes)
    for feature, row in enumerate(rows):
        for column, here in enumerate(row):
            elsewhere = sum(row) - here
            absent = int(classes[column]) - here
            cells = [[here, elsewhere], [absent, total - int(classes[column]) - elsewhere]]
            assert information[feature, column] == pytest.approx(slow_information(cells), abs=1e-12)


@given(seed=st.integers(0, 2**32), limit=st.integers(1, 12), minimum_count=st.integers(1, 4))
def test_selection_is_that_of_the_twin(seed: int, limit: int, minimum_count: int) -> None:
    rng = seeded(seed)
    instances = random_instances(
        rng,
        rng.randint(1, 12),
        words=["ran", "run", "Runs", "the", ",", "|"],
        classes=["X", "Y", "Z"],
        longest=4,
    )
    labels = [instance.gold for instance in instances]
    extractor = FeatureExtractor.fit(
        instances,
        settings=FeatureSettings(
            word_pairs=limit,
            production_rules=limit,
            dependency_rules=limit,
            predicates=limit,
            attachment=limit,
            openings=limit,
            minimum_count=minimum_count,
            context=False,
        ),
    )
    expected: list[str] = []
    for features in (
        [slow_pairs(instance) for instance in instances],
        [slow_rules(instance, argument_productions) for instance in instances],
        [slow_rules(instance, argument_dependency_rules) for instance in instances],
        [slow_texts(instance, "predicates", predicate_features) for instance in instances],
        [slow_texts(instance, "attachment", attachment_features) for instance in instances],
        [slow_texts(instance, "openings", opening_features) for instance in instances],
    ):
        expected += slow_selection(features, labels, limit=limit, minimum_count=minimum_count)
    assert list(extractor.names) == expected
