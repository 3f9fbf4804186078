"""Training as a whole: every kind of model learns, and learns the same twice; members of an ensemble."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disco2.errors import InputError
from disco2.experiments.train_run import calibrated
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.features.extractor import ExampleEncoder
from disco2.model import ModelSettings
from disco2.model.parameters import PAPER_KINDS, members_of
from disco2.training.fit import Fitted, fit_temperature, member_seeds
from disco2.training.loop import Epoch, History, TrainingSettings
from disco2.vectors import VectorSettings, WordVectors
from tests.instances import instance, reasons_and_results
from tests.training.fitting import fit

LABELS = ("Cause", "Result")
SETTINGS = TrainingSettings(
    seed=4, epochs=3, batch_size=8, rate_downward=0.02, rate_entities=0.02, rate_features=0.03
)
TRAINING, DEVELOPMENT = reasons_and_results(40, seed=1), reasons_and_results(15, seed=2)


def random_vectors(source: str, *, dimensions: int, words: set[str], **options: Any) -> WordVectors:
    values = np.random.default_rng(0).normal(size=(len(words), dimensions)).astype(np.float32)
    return WordVectors(tuple(sorted(words)), values)


@pytest.fixture(autouse=True)
def _quick_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disco2.training.fit.load_vectors", random_vectors)


def fitted(
    kind: str = "entities",
    training: Any = TRAINING,
    development: Any = DEVELOPMENT,
    *,
    seed: int = 4,
    members: int = 1,
    surface_members: int = 0,
    settings: TrainingSettings = SETTINGS,
    **options: Any,
) -> Fitted:
    return fit(
        training,
        development,
        labels=LABELS,
        model=ModelSettings(kind=kind, K=6, members=members, surface_members=surface_members),
        features=FeatureSettings(),
        vectors=VectorSettings(frequent=0),
        settings=replace(settings, seed=seed),
        **options,
    )


@pytest.mark.parametrize("kind", [kind for kind in PAPER_KINDS if kind != "majority"])
def test_every_model_learns_what_the_words_say(kind: str) -> None:
    unseen = reasons_and_results(40, seed=3)
    trained = fitted(kind, reasons_and_results(80, seed=1), settings=replace(SETTINGS, epochs=6))
    predicted = trained.model.predict(unseen)
    assert np.mean([label in one.gold for label, one in zip(predicted, unseen, strict=True)]) > 0.9


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others() -> None:
    instances = reasons_and_results(10, seed=4)
    first, again, other = (fitted(seed=seed).model.scores(instances) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_either_of_two_senses_is_right_in_development_and_both_are_trained_on() -> None:
    both = [replace(one, gold=LABELS) for one in TRAINING]
    best = fitted("surface", both, []).history.best
    assert best is not None
    assert best.score == 1.0
    assert best.loss > 0.9  # no margin between two labels that are both right


def test_features_and_vectors_see_the_training_relations_once_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[str, Any] = {}

    def spy_features(instances: Any, **options: Any) -> FeatureExtractor:
        seen["features"] = [one.relation.id for one in instances]
        return FeatureExtractor(FeatureSettings())

    def spy_vectors(source: str, *, words: set[str], **options: Any) -> WordVectors:
        seen["words"] = words
        return random_vectors(source, words=words, **options)

    monkeypatch.setattr("disco2.training.fit.FeatureExtractor.fit", spy_features)
    monkeypatch.setattr("disco2.training.fit.load_vectors", spy_vectors)
    training = [replace(one, gold=LABELS) for one in reasons_and_results(6, seed=1)]
    development = [instance(100, ["Only", "here", "."], ["So", "it", "is", "."], "Cause")]
    fitted("entities", training, development, balanced=True)
    assert seen["features"] == [one.relation.id for one in training]
    assert seen["words"] == {token.text for one in training for token in one.document.tokens}


@pytest.mark.parametrize("gold", [(), ("Purpose",), ("Cause", "Purpose")])
def test_unknown_labels_and_nothing_to_train_on_are_refused(gold: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="no labelled relation"):
        fitted("surface", [], [])
    good = reasons_and_results(10, seed=1)
    odd = [replace(good[0], gold=gold)]
    for training, development in ((odd, good), (good, odd)):
        with pytest.raises(InputError, match="d0:1"):
            fitted("surface", training, development)


FURTHER = [
    replace(instance(100 + number, ["Owls", "sang", "."], ["They", "rested", "."], "Cause"), weight=0.25)
    for number in range(6)
]


def test_further_relations_select_no_features_are_not_held_out_and_do_not_count() -> None:
    without, with_them = fitted(development=()), fitted(development=(), further=FURTHER)
    assert with_them.model.extractor == without.model.extractor
    assert with_them.training_relations == without.training_relations == 32
    assert with_them.development == without.development
    needed = [set(one.model.vectors.words) for one in (without, with_them)]
    assert needed[1] - needed[0] == {"Owls", "sang", "They", "rested"}
    assert not np.array_equal(with_them.model.parameters["U"], without.model.parameters["U"])


def test_further_relations_follow_the_balanced_ones_with_their_weight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[int, float]] = []

    def spy(model: Any, parameters: Any, vectors: Any, examples: Any, *rest: Any, **options: Any) -> Any:
        seen.extend((example.label, example.weight) for example in examples)
        return parameters, History()

    monkeypatch.setattr("disco2.training.fit.train", spy)
    fitted(further=[replace(FURTHER[0], gold=LABELS), *FURTHER[1:]], balanced=True)
    assert seen[:40] == [(1 - number % 2, 1.0) for number in range(40)]
    assert seen[40:] == [(0, 0.25), (1, 0.25)] + [(0, 0.25)] * 5


def test_members_are_models_trained_alone_with_their_seeds() -> None:
    together = fitted(members=3)
    assert together.model.settings.members == 3
    alone = [fitted(seed=seed) for seed in member_seeds(4, 3)]
    for one, parameters in zip(
        alone, members_of(together.model.settings, together.model.parameters), strict=True
    ):
        for name, value in one.model.parameters.items():
            np.testing.assert_array_equal(value, parameters[name])
    assert together.members == tuple(one.history for one in alone)


@pytest.mark.parametrize("members", [1, 2])
def test_surface_members_are_surface_models_trained_alone(members: int) -> None:
    settings = replace(SETTINGS, rate_features=0.001, rate_surface=0.1)
    together = fitted(members=members, surface_members=2, settings=settings)
    seeds = member_seeds(4, members + 2)
    alone = [
        *(fitted(seed=seed, settings=settings) for seed in seeds[:members]),
        *(
            fitted("surface", seed=seed, settings=replace(settings, rate_features=0.1))
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

    counted("features", "disco2.training.fit.FeatureExtractor.fit", FeatureExtractor.fit)
    counted("vectors", "disco2.training.fit.load_vectors", random_vectors)
    counted("encoded", "disco2.features.extractor.ExampleEncoder.encode", ExampleEncoder.encode)
    result = fitted(members=3, development=[], progress=seen.append)
    assert calls == {"features": 1, "vectors": 1, "encoded": 2}  # training and held-out relations
    assert (result.training_relations, len(result.development)) == (32, 8)
    assert seen == result.history.epochs
    again = fitted(development=[])  # held out by the ensemble's seed, not by a member's
    assert [one.relation.id for one in result.development] == [one.relation.id for one in again.development]


def test_the_temperature_is_that_of_the_ensembles_scores() -> None:
    model = fitted(members=3).model
    # Some are wrong, or no temperature would be too cold.
    noisy = [replace(one, gold=LABELS[:1]) if not place % 3 else one for place, one in enumerate(DEVELOPMENT)]
    expected, _ = fit_temperature(model.scores(noisy), [LABELS.index(one.gold[0]) for one in noisy])
    assert calibrated(model, noisy)[0].temperature == expected


def test_a_majority_needs_no_members() -> None:
    result = fitted("majority", members=5)
    assert result.model.settings.members == 1
    assert set(result.model.predict(DEVELOPMENT)) == {"Cause"}
