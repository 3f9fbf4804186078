"""Overlaps with the relations before and after: worked examples."""

from __future__ import annotations

import pytest

from disco2.features.neighbouring_relations import neighbouring_features
from disco2.records import Instance, Relation
from tests.features.feature_documents import make_document, make_relation

LETTERS = make_document((list("abcdefghijkl"), None, None))


def relation(arg1: list[int], arg2: list[int]) -> Relation:
    return make_relation(LETTERS, arg1, arg2)


@pytest.mark.parametrize(
    ("neighbour", "expected"),
    [
        (None, "none"),
        (relation([0], [1]), "no overlap"),
        (relation([0, 1], [2, 3]), "its arg2 overlaps arg1"),
        (relation([5], [6, 11]), "its arg1 overlaps arg1, its arg2 overlaps arg2"),
        (relation([8], [0]), "its arg1 overlaps arg2"),
        (
            relation([4, 5, 6], [2, 9]),
            "its arg1 overlaps arg1, its arg1 overlaps arg2, its arg2 overlaps arg1, its arg2 overlaps arg2",
        ),
    ],
)
def test_overlaps(neighbour: Relation | None, expected: str) -> None:
    this = relation([2, 3, 4, 5], [6, 7, 8, 9])
    assert neighbouring_features(Instance(this, LETTERS, previous=neighbour)) == {
        f"previous relation: {expected}",
        "following relation: none",
    }
    assert neighbouring_features(Instance(this, LETTERS, following=neighbour)) == {
        "previous relation: none",
        f"following relation: {expected}",
    }
