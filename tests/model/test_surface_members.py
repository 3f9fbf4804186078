"""Surface members folded into the others, against the mean of every member's own scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.data.batch import collate
from disco2.errors import SettingsError
from disco2.model import ModelSettings, RelationModel
from disco2.model.network import batch_scores, forward
from disco2.model.parameters import folded, stacked
from disco2.model.relation_model import contributions
from disco2.vectors import WordVectors
from tests.model.test_network import build

SURFACE = ModelSettings(kind="surface", K=5)


@pytest.mark.parametrize(("members", "surface"), [(1, 1), (1, 3), (4, 1), (2, 2)])
@pytest.mark.parametrize(
    ("kind", "rank"), [("entities", 1), ("entities", 2), ("entities", 0), ("upward", 1), ("additive", 1)]
)
def test_scores_and_terms_are_the_means_over_all_members(
    kind: str, rank: int, members: int, surface: int
) -> None:
    alone = ModelSettings(kind=kind, rank=rank, K=5)
    made, _, vectors = build(alone)
    examples = [example for example, *_ in made]
    composing = [build(alone, seed=seed)[1] for seed in range(members)]
    of_features = [build(SURFACE, seed=50 + seed)[1] for seed in range(surface)]
    before = [{name: value.copy() for name, value in one.items()} for one in composing]
    together = replace(alone, members=members, surface_members=surface)
    found = folded(composing, of_features)
    parameters = found[0] if members == 1 else stacked(found)

    def mean(values: list[np.ndarray]) -> np.ndarray:
        return np.sum(values, axis=0) / (members + surface)

    batch = collate(examples)
    each = [
        *(forward(alone, one, vectors, batch).scores for one in composing),
        *(forward(SURFACE, one, vectors, batch).scores for one in of_features),
    ]
    np.testing.assert_allclose(batch_scores(together, parameters, vectors, batch), mean(each), rtol=1e-10)
    assert all(
        np.array_equal(one[name], old[name])
        for one, old in zip(composing, before, strict=True)
        for name in old
    )

    def terms(settings: ModelSettings, parameters: dict[str, np.ndarray]) -> list[np.ndarray]:
        words = tuple(map(str, range(len(vectors) - 1)))
        model = RelationModel(settings, tuple("abcd"), WordVectors(words, vectors[1:]), None, parameters)
        said = contributions(model, examples[0])
        return [said.bias, said.features, said.arguments, *said.links]

    whole = terms(together, parameters)
    from_composing = [terms(alone, one) for one in composing]
    from_features = [terms(SURFACE, one) for one in of_features]
    for place, term in enumerate(whole):
        given = [one[place] for one in from_composing]
        given += [one[place] for one in from_features] if place < 2 else []  # the rest compose nothing
        np.testing.assert_allclose(term, mean(given), rtol=1e-9, atol=1e-12)
    assert len(whole) == len(from_composing[0])


def test_single_precision_stays_single() -> None:
    (one,), (other,) = (
        [{name: value.astype(np.float32) for name, value in build(settings)[1].items()}]
        for settings in (ModelSettings(K=5), SURFACE)
    )
    assert {value.dtype for value in folded([one], [other, other])[0].values()} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "surface", "surface_members": 1}, "word vectors and surface features"),
        ({"kind": "majority", "surface_members": 1}, "word vectors and surface features"),
        ({"features": False, "surface_members": 2}, "word vectors and surface features"),
        ({"members": 999, "surface_members": 2}, "1001 members"),
        ({"surface_members": -1}, "surface_members"),
        ({"surface_members": True}, "surface_members"),
    ],
)
def test_impossible_settings(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        ModelSettings(**wrong)  # type: ignore[arg-type]


def test_all_members_are_counted() -> None:
    assert ModelSettings().all_members == 1
    assert ModelSettings(members=5, surface_members=2).all_members == 7
