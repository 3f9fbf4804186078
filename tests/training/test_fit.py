"""Training as a whole: every kind of model learns, and learns the same twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disco2.data import Instance
from disco2.errors import InputError
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.model import ModelSettings
from disco2.model.settings import PAPER_KINDS
from disco2.training.fit import Fitted
from disco2.training.loop import History
from disco2.training.settings import TrainingSettings
from disco2.vectors import VectorSettings, WordVectors
from tests.instances import instance, reasons_and_results
from tests.training.fitting import fit

LABELS = ("Cause", "Result")
SETTINGS = TrainingSettings(
    epochs=6, batch_size=8, patience=6, rate_downward=0.02, rate_entities=0.02, rate_features=0.03
)


def fit_small(kind: str, training: Any, development: Any, *, seed: int = 1, **options: Any) -> Fitted:
    return fit(
        training,
        development,
        labels=LABELS,
        model=ModelSettings(kind=kind, K=8),
        features=FeatureSettings(),
        vectors=VectorSettings(frequent=0),
        settings=replace(SETTINGS, seed=seed),
        **options,
    )


def fitted(kind: str, *, seed: int = 1, development: int = 20) -> Fitted:
    return fit_small(
        kind, reasons_and_results(80, seed=1), reasons_and_results(development, seed=2), seed=seed
    )


@pytest.mark.parametrize("kind", [kind for kind in PAPER_KINDS if kind != "majority"])
def test_every_model_learns_what_the_words_say(kind: str) -> None:
    unseen = reasons_and_results(40, seed=3)
    predicted = fitted(kind).model.predict(unseen)
    assert np.mean([label in one.gold for label, one in zip(predicted, unseen, strict=True)]) > 0.9


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others() -> None:
    instances = reasons_and_results(10, seed=4)
    first, again, other = (fitted("entities", seed=seed).model.scores(instances) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_best_pass_on_development_data_is_kept() -> None:
    result = fitted("upward")
    best = result.history.best
    assert best is not None
    assert best.development_loss == min(epoch.development_loss for epoch in result.history.epochs)
    development = reasons_and_results(20, seed=2)
    right = [
        label in one.gold for label, one in zip(result.model.predict(development), development, strict=True)
    ]
    assert np.mean(right) == pytest.approx(best.score)


def test_without_development_data_a_fifth_is_held_out() -> None:
    result = fitted("surface", development=0)
    assert (result.training_relations, len(result.development)) == (64, 16)


def test_either_of_two_senses_is_right_in_development_and_both_are_trained_on() -> None:
    both = [replace(one, gold=LABELS) for one in reasons_and_results(40, seed=1)]
    result = fit_small("surface", both, [])
    assert result.history.best is not None
    assert result.history.best.score == 1.0
    assert result.history.best.loss > 0.9  # no margin between two labels that are both right


def test_features_and_vectors_see_the_training_relations_once_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[str, Any] = {}

    def spy_features(instances: Any, **options: Any) -> FeatureExtractor:
        seen["features"] = [one.relation.id for one in instances]
        return FeatureExtractor(FeatureSettings())

    def spy_vectors(source: str, *, words: set[str], dimensions: int, **options: Any) -> WordVectors:
        seen["words"] = words
        return WordVectors(tuple(sorted(words)), np.zeros((len(words), dimensions), dtype=np.float32))

    monkeypatch.setattr("disco2.training.preparation.FeatureExtractor.fit", spy_features)
    monkeypatch.setattr("disco2.training.preparation.load_vectors", spy_vectors)
    training = [replace(one, gold=LABELS) for one in reasons_and_results(6, seed=1)]
    development = [instance(100, ["Only", "here", "."], ["So", "it", "is", "."], "Cause")]
    fit_small("entities", training, development, balanced=True)
    assert seen["features"] == [one.relation.id for one in training]
    assert seen["words"] == {token.text for one in training for token in one.document.tokens}


def test_one_class_against_the_rest_stops_by_f1() -> None:
    development = reasons_and_results(9, seed=2)
    result = fit_small("surface", reasons_and_results(40, seed=1), development, positive="Cause")
    assert result.history.best is not None
    predicted = result.model.predict(development)
    both = sum(label == "Cause" == one.gold[0] for label, one in zip(predicted, development, strict=True))
    assert result.history.best.score == pytest.approx(2 * both / (predicted.count("Cause") + 4))


@pytest.mark.parametrize("gold", [(), ("Purpose",), ("Cause", "Purpose")])
def test_unknown_labels_and_nothing_to_train_on_are_refused(gold: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="no labelled relation"):
        fit_small("surface", [], [])
    good = reasons_and_results(10, seed=1)
    odd = [replace(good[0], gold=gold)]
    for training, development in ((odd, good), (good, odd)):
        with pytest.raises(InputError, match="d0:1"):
            fit_small("surface", training, development)


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
