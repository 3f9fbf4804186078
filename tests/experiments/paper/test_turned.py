"""Relations that one system gets right and another one wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from disco2.errors import InputError
from disco2.experiments.coreference import turned_relations
from disco2.experiments.runs import Answers
from tests.corpora.made_up import corpus, relation

CORPUS = corpus([relation("a", number, ["x"]) for number in range(4)])


def seeds(*answered: str, shared: Sequence[bool] = (True, True, True, True)) -> list[Answers]:
    """A word for each seed, a letter for each relation; "x" is right."""
    names = tuple(one.id for one in CORPUS.relations)
    return [
        Answers(
            names,
            ("a",) * 4,
            (("x",),) * 4,
            np.array(shared),
            ("x", "y"),
            np.array([[letter == "x", letter == "y"] for letter in word], dtype=np.float32),
        )
        for word in answered
    ]


def test_seeds_are_those_that_turn_the_relation() -> None:
    """The first: four seeds turn it right and one wrong, a difference of three."""
    before = seeds("xyyx", "yyyx", "yyyx", "yyxx", "yyxx")
    after = seeds("yyxy", "xyxy", "xyxy", "xyyy", "xyyy")
    found = [
        (one.relation, one.right, one.seeds, one.before, one.after)
        for one in turned_relations(CORPUS, before, after)
    ]
    names = [one.id for one in CORPUS.relations]
    assert found == [(names[0], True, (4, 5), "y", "x"), (names[3], False, (5, 5), "x", "y")]


def test_only_relations_that_share_an_entity_count_and_not_too_many() -> None:
    before, after = seeds("yyyy", shared=(False, True, True, True)), seeds("xxxx")
    names = [one.id for one in CORPUS.relations]
    assert [one.relation for one in turned_relations(CORPUS, before, after)] == names[1:]
    assert [one.relation for one in turned_relations(CORPUS, before, after, at_most=2)] == names[1:3]


def test_seeds_must_be_pairs() -> None:
    with pytest.raises(InputError, match="1 seeds of one system and 2"):
        list(turned_relations(CORPUS, seeds("xxxx"), seeds("yyyy", "yyyy")))
