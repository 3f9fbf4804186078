"""Several models scored together, against the mean of each one's own scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.data.batch import collate
from disco2.errors import SettingsError
from disco2.model import ModelSettings, Parameters
from disco2.model.network import batch_scores, forward
from disco2.model.parameters import members_of, stacked
from tests.model.test_network import build, every_model

MEMBERS = 3


def an_ensemble(settings: ModelSettings) -> tuple[list, ModelSettings, list[Parameters], np.ndarray]:
    """Examples, the settings, the parameters of each member, and word vectors."""
    made, _, vectors = build(settings)
    members = [build(settings, seed=seed)[1] for seed in range(MEMBERS)]
    return [example for example, *_ in made], replace(settings, members=MEMBERS), members, vectors


def mean_of_forward(settings: ModelSettings, members: list[Parameters], vectors, batch) -> np.ndarray:
    alone = replace(settings, members=1)
    return np.mean([forward(alone, member, vectors, batch).scores for member in members], axis=0)


@pytest.mark.parametrize("settings", every_model(), ids=str)
def test_scores_are_the_mean_of_the_members(settings: ModelSettings) -> None:
    examples, several, members, vectors = an_ensemble(settings)
    batch = collate(examples)
    found = batch_scores(several, stacked(members), vectors, batch)
    np.testing.assert_allclose(
        found, mean_of_forward(several, members, vectors, batch), rtol=1e-10, atol=1e-12
    )
    others = mean_of_forward(several, members[:-1], vectors, batch)
    assert np.abs(found - others).max() > 1e-3  # every member counts


def test_one_member_is_the_plain_model_to_the_digit() -> None:
    settings = ModelSettings(K=5)
    made, parameters, vectors = build(settings)
    batch = collate([example for example, *_ in made])
    np.testing.assert_array_equal(
        batch_scores(settings, parameters, vectors, batch),
        forward(settings, parameters, vectors, batch).scores,
    )
    assert members_of(settings, parameters) == [parameters]


def test_stacked_members_come_apart_again() -> None:
    _, several, members, _ = an_ensemble(ModelSettings(K=4))
    again = members_of(several, stacked(members))
    assert len(again) == MEMBERS
    for one, other in zip(members, again, strict=True):
        assert one.keys() == other.keys()
        assert all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("members", [0, -1, 1001])
def test_impossible_numbers_of_members(members: int) -> None:
    with pytest.raises(SettingsError, match="members"):
        ModelSettings(members=members)
