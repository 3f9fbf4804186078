"""Further instances are trained on, and used for nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disco2.data import Instance
from disco2.errors import InputError
from disco2.features import FeatureSettings
from disco2.model import ModelSettings
from disco2.training.fit import Fitted, fit
from disco2.training.loop import History
from disco2.training.settings import TrainingSettings
from disco2.vectors import VectorSettings
from tests.instances import instance, reasons_and_results

LABELS = ("Cause", "Result")
ORDINARY = reasons_and_results(20, seed=1)
FURTHER = [
    replace(instance(100 + number, ["Owls", "sang", "."], ["They", "rested", "."], "Cause"), weight=0.25)
    for number in range(6)
]


def fit_with(
    further: Sequence[Instance], *, kind: str = "entities", development: Any = (), **options: Any
) -> Fitted:
    return fit(
        ORDINARY,
        development,
        labels=LABELS,
        model=ModelSettings(kind=kind, K=6),
        features=FeatureSettings(minimum_count=2),
        vectors=VectorSettings(frequent=0),
        settings=TrainingSettings(epochs=2, batch_size=8),
        further=further,
        **options,
    )


def test_they_select_no_features_are_not_held_out_and_do_not_count() -> None:
    without, with_them = fit_with(()), fit_with(FURTHER)
    assert with_them.model.extractor == without.model.extractor
    assert with_them.training_relations == without.training_relations == 16
    assert with_them.development == without.development
    needed = [set(one.model.vectors.words) for one in (without, with_them)]
    assert needed[1] - needed[0] == {"owls", "sang", "they", "rested"}
    assert not np.array_equal(with_them.model.parameters["U"], without.model.parameters["U"])


def test_they_are_added_with_their_weight_behind_the_balanced_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, float]] = []

    def spy(model: Any, parameters: Any, vectors: Any, examples: Any, *rest: Any, **options: Any) -> Any:
        seen.extend((example.label, example.weight) for example in examples)
        return parameters, History()

    monkeypatch.setattr("disco2.training.fit.train", spy)
    both = replace(FURTHER[0], gold=LABELS)
    fit_with([both, *FURTHER[1:]], development=ORDINARY, balanced=True)
    assert seen[:20] == [(1 - number % 2, 1.0) for number in range(20)]
    assert seen[20:] == [(0, 0.25), (1, 0.25)] + [(0, 0.25)] * 5


def test_the_most_common_class_does_not_hear_of_them() -> None:
    without, with_them = (fit_with(further, kind="majority").model for further in ((), FURTHER))
    np.testing.assert_array_equal(without.parameters["b"], with_them.parameters["b"])


def test_their_labels_must_be_known() -> None:
    with pytest.raises(InputError, match="d100:1"):
        fit_with([replace(FURTHER[0], gold=("Purpose",))])
