"""Where the parameters start."""

from __future__ import annotations

import numpy as np
import pytest

from disco2.model import GROUPS, ModelSettings, initial_parameters
from disco2.model.settings import PAPER_KINDS

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
    assert {name for group in GROUPS.values() for name in group} == shapes.keys()


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
