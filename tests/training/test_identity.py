"""A training is another one as soon as anything that it depends on is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disco2.data.batch import Example
from disco2.model import ModelSettings, initial_parameters
from disco2.training.development import Development, in_batches
from disco2.training.identity import training_identity
from disco2.training.settings import TrainingSettings
from tests.generated import random_example


def made(**changes: Any) -> list[Example]:
    generator = np.random.default_rng(0)
    shape = {"words": (3, 4), "vocabulary": 10, "labels": 3, "features": 5, "chains": 1}
    return [replace(random_example(generator, **shape)[0], **changes) for _ in range(4)]  # type: ignore[arg-type]


def identity(**changes: Any) -> str:
    model = changes.get("model", ModelSettings(K=4))
    examples, held_out = changes.get("examples", made()), changes.get("held_out", made())
    gold = [frozenset(changes.get("gold", {one.label})) for one in held_out]
    return training_identity(
        model,
        initial_parameters(model, labels=3, features=5, seed=changes.get("start", 1)),
        np.full((10, 4), changes.get("vectors", 0.5), dtype=np.float32),
        in_batches(examples, 2),
        Development.of(held_out, gold, positive=changes.get("positive")),
        changes.get("settings", TrainingSettings()),
    )


def test_the_same_training_is_the_same() -> None:
    assert identity() == identity()


@pytest.mark.parametrize(
    "changes",
    [
        {"model": ModelSettings(K=4, pairs="root")},
        {"settings": TrainingSettings(seed=2)},
        {"settings": TrainingSettings(dropout=0.1)},
        {"start": 2},
        {"vectors": 0.25},
        {"examples": made(weight=0.5)},
        {"examples": made(label=1)},
        {"examples": made(features=np.array([1], dtype=np.int32))},
        {"examples": made()[:-1]},
        {"held_out": made()[::-1]},
        {"gold": {0, 1}},
        {"positive": 1},
    ],
    ids=lambda changes: " ".join(changes),
)
def test_any_change_makes_another(changes: dict[str, Any]) -> None:
    assert identity(**changes) != identity()
