"""Where the parameters start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.data.batch import collate
from disco2.errors import SettingsError
from disco2.model import ModelSettings, initial_parameters
from disco2.model.network import batch_scores, forward
from disco2.model.parameters import GROUP_OF, PAPER_KINDS, folded, members_of, stacked
from tests.model.test_network import build, every_model

NAMES = {
    "majority": {"b"},
    "surface": {"beta", "b"},
    "additive": {"A1", "A2", "A3", "beta", "b"},
    "upward": {"U", "A1", "A2", "A3", "beta", "b"},
    "entities": {"U", "V", "A1", "A2", "A3", "B1", "B2", "B3", "beta", "b"},
}


@pytest.mark.parametrize("kind", PAPER_KINDS)
def test_a_model_has_the_parameters_of_its_terms(kind: str) -> None:
    settings = ModelSettings(kind=kind, K=7, rank=3)
    parameters = initial_parameters(settings, labels=5, features=11, seed=1)
    assert parameters.keys() == NAMES[kind]
    shapes = {
        "U": (7, 14), "V": (7, 14), "A1": (5, 3, 7), "A2": (5, 3, 7), "A3": (5, 7),
        "B1": (5, 3, 7), "B2": (5, 3, 7), "B3": (5, 7), "beta": (5, 11), "b": (5,),
    }  # fmt: skip
    assert all(value.shape == shapes[name] for name, value in parameters.items())
    assert GROUP_OF.keys() == shapes.keys()


def test_composition_starts_uniform_and_factors_small() -> None:
    settings = ModelSettings(K=50, rank=2, factor_scale=0.02)
    parameters = initial_parameters(settings, labels=8, features=3, seed=1)
    bound = np.sqrt(6 / 100)
    for name in ("U", "V"):
        assert np.abs(parameters[name]).max() <= bound
        assert np.abs(parameters[name]).max() > 0.99 * bound
        assert parameters[name].std() == pytest.approx(bound / np.sqrt(3), rel=0.05)
    for name in ("A1", "A2", "B1", "B2"):
        assert parameters[name].std() == pytest.approx(0.02, rel=0.1)
    assert not any(parameters[name].any() for name in ("A3", "B3", "beta", "b"))
    zero = initial_parameters(ModelSettings(initialisation="zero"), labels=2, features=1, seed=1)
    assert not any(zero[name].any() for name in ("A1", "A2", "B1", "B2"))


MEMBERS = 3


@pytest.mark.parametrize("settings", every_model(), ids=str)
def test_scores_are_the_mean_of_the_members(settings: ModelSettings) -> None:
    made, parameters, vectors = build(settings)
    members = [build(settings, seed=seed)[1] for seed in range(MEMBERS)]
    batch = collate([example for example, *_ in made])
    several = replace(settings, members=MEMBERS)
    found = batch_scores(several, stacked(members), vectors, batch)
    each = [forward(settings, member, vectors, batch).scores for member in members]
    np.testing.assert_allclose(found, np.mean(each, axis=0), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(batch_scores(settings, parameters, vectors, batch), each[0])
    for one, other in zip(members, members_of(several, stacked(members)), strict=True):
        assert all(np.array_equal(one[name], other[name]) for name in one)


SURFACE = ModelSettings(kind="surface", K=6)


@pytest.mark.parametrize(("members", "surface"), [(1, 1), (1, 3), (4, 1), (2, 2)])
@pytest.mark.parametrize(
    ("kind", "rank"), [("entities", 1), ("entities", 2), ("entities", 0), ("upward", 1), ("additive", 1)]
)
def test_folded_scores_are_the_means_over_all_members(
    kind: str, rank: int, members: int, surface: int
) -> None:
    alone = ModelSettings(kind=kind, rank=rank, K=6)
    made, _, vectors = build(alone)
    examples = [example for example, *_ in made]
    composing = [build(alone, seed=seed)[1] for seed in range(members)]
    of_features = [build(SURFACE, seed=50 + seed)[1] for seed in range(surface)]
    before = [{name: value.copy() for name, value in one.items()} for one in composing]
    together = replace(alone, members=members, surface_members=surface)
    found = folded(composing, of_features)
    parameters = found[0] if members == 1 else stacked(found)

    batch = collate(examples)
    each = [
        *(forward(alone, one, vectors, batch).scores for one in composing),
        *(forward(SURFACE, one, vectors, batch).scores for one in of_features),
    ]
    found_scores = batch_scores(together, parameters, vectors, batch)
    np.testing.assert_allclose(found_scores, np.mean(each, axis=0), rtol=1e-10)
    assert all(
        np.array_equal(one[name], old[name])
        for one, old in zip(composing, before, strict=True)
        for name in old
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "surface", "surface_members": 1}, "word vectors and surface features"),
        ({"kind": "majority", "surface_members": 1}, "word vectors and surface features"),
        ({"features": False, "surface_members": 2}, "word vectors and surface features"),
        ({"members": 999, "surface_members": 2}, "1001 members"),
        *(({"members": members}, "members") for members in (0, -1, 1001)),
        ({"surface_members": -1}, "surface_members"),
        ({"surface_members": True}, "surface_members"),
    ],
)
def test_impossible_settings(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        ModelSettings(**wrong)  # type: ignore[arg-type]
