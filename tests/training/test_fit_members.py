"""Ensembles: members trained apart, on data prepared once, and judged together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disco2.experiments.train_run import calibrated
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.features.encoder import Encoder
from disco2.model import ModelSettings
from disco2.model.parameters import members_of
from disco2.training.fit import Fitted, member_seeds
from disco2.training.loop import Epoch
from disco2.training.settings import TrainingSettings
from disco2.training.temperature import fit_temperature
from disco2.vectors import VectorSettings, WordVectors
from tests.instances import reasons_and_results
from tests.training.fitting import fit

LABELS = ("Cause", "Result")
SETTINGS = TrainingSettings(seed=4, epochs=3, batch_size=8, patience=3)
TRAINING, DEVELOPMENT = reasons_and_results(40, seed=1), reasons_and_results(15, seed=2)


def random_vectors(source: str, *, dimensions: int, words: set[str], **options: Any) -> WordVectors:
    values = np.random.default_rng(0).normal(size=(len(words), dimensions)).astype(np.float32)
    return WordVectors(tuple(sorted(words)), values)


@pytest.fixture(autouse=True)
def _quick_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disco2.training.preparation.load_vectors", random_vectors)


def fitted(
    members: int,
    *,
    seed: int = 4,
    kind: str = "entities",
    surface_members: int = 0,
    settings: TrainingSettings = SETTINGS,
    development: Any = DEVELOPMENT,
    **options: Any,
) -> Fitted:
    return fit(
        TRAINING,
        development,
        labels=LABELS,
        model=ModelSettings(kind=kind, K=6, members=members, surface_members=surface_members),
        features=FeatureSettings(),
        vectors=VectorSettings(frequent=0),
        settings=replace(settings, seed=seed),
        **options,
    )


def test_members_are_models_trained_alone_with_their_seeds() -> None:
    together = fitted(3)
    assert together.model.settings.members == 3
    alone = [fitted(1, seed=seed) for seed in member_seeds(4, 3)]
    for one, parameters in zip(
        alone, members_of(together.model.settings, together.model.parameters), strict=True
    ):
        for name, value in one.model.parameters.items():
            np.testing.assert_array_equal(value, parameters[name])
    assert together.members == tuple(one.history for one in alone)
    unseen = reasons_and_results(12, seed=3)
    expected = np.mean([one.model.scores(unseen) for one in alone], axis=0)
    np.testing.assert_allclose(together.model.scores(unseen), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("members", [1, 2])
def test_surface_members_are_surface_models_trained_alone(members: int) -> None:
    settings = replace(SETTINGS, rate_features=0.001, rate_surface=0.1)
    together = fitted(members, surface_members=2, settings=settings)
    seeds = member_seeds(4, members + 2)
    alone = [
        *(fitted(1, seed=seed, settings=settings) for seed in seeds[:members]),
        *(
            fitted(1, seed=seed, kind="surface", settings=replace(settings, rate_features=0.1))
            for seed in seeds[members:]
        ),
    ]
    assert together.members == tuple(one.history for one in alone)
    assert together.history.epochs == [epoch for one in alone for epoch in one.history.epochs]
    unseen = reasons_and_results(12, seed=3)
    expected = np.mean([one.model.scores(unseen) for one in alone], axis=0)
    np.testing.assert_allclose(together.model.scores(unseen), expected, rtol=1e-4, atol=1e-5)
    only = np.mean([one.model.scores(unseen) for one in alone[:members]], axis=0)
    assert np.abs(together.model.scores(unseen) - only).max() > 1e-2
    best = together.history.best
    assert best is not None
    answers = together.model.predict(DEVELOPMENT)
    right = np.mean([answer in one.gold for answer, one in zip(answers, DEVELOPMENT, strict=True)])
    assert best.score == pytest.approx(right)


def test_features_vectors_and_the_held_out_part_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: dict[str, int] = {"features": 0, "vectors": 0, "encoded": 0}
    seen: list[Epoch] = []

    def counted(name: str, target: str, original: Any) -> None:
        def call(*given: Any, **options: Any) -> Any:
            calls[name] += 1
            return original(*given, **options)

        monkeypatch.setattr(target, call)

    counted("features", "disco2.training.preparation.FeatureExtractor.fit", FeatureExtractor.fit)
    counted("vectors", "disco2.training.preparation.load_vectors", random_vectors)
    counted("encoded", "disco2.features.encoder.Encoder.encode", Encoder.encode)
    result = fitted(3, development=[], progress=seen.append)
    assert calls == {"features": 1, "vectors": 1, "encoded": 2}  # training and held-out relations
    assert (result.training_relations, len(result.development)) == (32, 8)
    assert seen == result.history.epochs
    again = fitted(1, development=[])  # held out by the ensemble's seed, not by a member's
    assert [one.relation.id for one in result.development] == [one.relation.id for one in again.development]


def test_the_temperature_is_that_of_the_ensembles_scores() -> None:
    model = fitted(3).model
    # Some are wrong, or no temperature would be too cold.
    noisy = [replace(one, gold=LABELS[:1]) if not place % 3 else one for place, one in enumerate(DEVELOPMENT)]
    expected, _ = fit_temperature(model.scores(noisy), [LABELS.index(one.gold[0]) for one in noisy])
    assert calibrated(model, noisy)[0].temperature == expected
    one, *_ = members_of(model.settings, model.parameters)
    alone = replace(model, settings=replace(model.settings, members=1), parameters=one)
    assert calibrated(alone, noisy)[0].temperature != expected


def test_a_majority_needs_no_members() -> None:
    result = fitted(5, kind="majority")
    assert result.model.settings.members == 1
    assert set(result.model.predict(DEVELOPMENT)) == {"Cause"}
