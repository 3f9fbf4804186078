"""Training as a whole: every kind of model learns, and learns the same twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.errors import InputError
from disco2.features import FeatureSettings
from disco2.model import ModelSettings
from disco2.model.settings import KINDS
from disco2.model.vectors import VectorSettings
from disco2.training.fit import Fitted, fit, hold_out
from disco2.training.settings import TrainingSettings
from tests.instances import reasons_and_results

LABELS = ("Cause", "Result")
SETTINGS = TrainingSettings(epochs=6, batch_size=8, patience=6)


def fitted(kind: str, *, seed: int = 1, features: bool = True, development: int = 20) -> Fitted:
    return fit(
        reasons_and_results(80, seed=1),
        reasons_and_results(development, seed=2),
        labels=LABELS,
        model=ModelSettings(kind=kind, K=8, features=features),
        features=FeatureSettings(),
        vectors=VectorSettings(frequent=0),
        settings=replace(SETTINGS, seed=seed),
    )


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "majority"])
def test_every_model_learns_what_the_words_say(kind: str) -> None:
    unseen = reasons_and_results(40, seed=3)
    predicted = fitted(kind).model.predict(unseen)
    assert np.mean([label in one.gold for label, one in zip(predicted, unseen, strict=True)]) > 0.9


def test_majority_answers_the_most_common_label() -> None:
    training = [*reasons_and_results(21, seed=1)]
    model = fit(
        training,
        [],
        labels=LABELS,
        model=ModelSettings(kind="majority"),
        features=FeatureSettings(),
        vectors=VectorSettings(),
        settings=SETTINGS,
    ).model
    assert set(model.predict(reasons_and_results(10, seed=2))) == {"Result"}


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others() -> None:
    instances = reasons_and_results(10, seed=4)
    first, again, other = (fitted("entities", seed=seed).model.scores(instances) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_best_pass_on_development_data_is_kept() -> None:
    result = fitted("upward", features=False)
    best = result.history.best
    assert best is not None
    assert best.accuracy == max(epoch.accuracy for epoch in result.history.epochs)
    development = reasons_and_results(20, seed=2)
    right = [
        label in one.gold for label, one in zip(result.model.predict(development), development, strict=True)
    ]
    assert np.mean(right) == pytest.approx(best.accuracy)


def test_without_development_data_a_fifth_is_held_out() -> None:
    result = fitted("surface", development=0)
    assert (result.training_relations, result.development_relations) == (64, 16)


def test_both_instances_of_a_two_sense_relation_stay_together() -> None:
    doubled = [one for one in reasons_and_results(30, seed=1) for _ in range(2)]
    kept, held = hold_out(doubled, SETTINGS)
    assert len(held) == 12
    assert not {one.relation.id for one in kept} & {one.relation.id for one in held}


def test_nothing_to_train_on_is_a_clear_error() -> None:
    with pytest.raises(InputError, match="no labelled relation"):
        fit(
            [],
            [],
            labels=LABELS,
            model=ModelSettings(),
            features=FeatureSettings(),
            vectors=VectorSettings(),
            settings=SETTINGS,
        )
