"""Masks, and what they change in training and what not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disco2.data.batch import Example
from disco2.errors import SettingsError
from disco2.model import ModelSettings, initial_parameters
from disco2.model.composition import fastest_composer
from disco2.model.network import backward, forward
from disco2.model.parameters import Parameters
from disco2.training.loop import Development, Learner, in_batches, train
from disco2.training.optimiser import LOSSES, NUMPY, AdaGrad, Dropout, fastest_arithmetic
from disco2.training.settings import TrainingSettings
from tests.generated import random_example

LABELS, FEATURES, VOCABULARY = 3, 8, 10
SETTINGS = TrainingSettings(epochs=3, batch_size=5, averaging=0.0)


def some_examples(count: int = 14) -> list[Example]:
    generator = np.random.default_rng(0)
    shape: dict[str, Any] = {"words": (3, 4), "vocabulary": VOCABULARY, "labels": LABELS}
    return [random_example(generator, features=FEATURES, chains=1, **shape)[0] for _ in range(count)]


def start(model: ModelSettings) -> tuple[Parameters, np.ndarray]:
    vectors = np.random.default_rng(1).normal(size=(VOCABULARY, model.K)).astype(np.float32)
    return initial_parameters(model, labels=LABELS, features=FEATURES, seed=1), vectors


def run(settings: TrainingSettings, *, kind: str = "entities") -> Parameters:
    """The last parameters."""
    model, examples = ModelSettings(kind=kind, K=4), some_examples()
    held_out = Development.of(examples, [frozenset({one.label}) for one in examples])
    parameters, vectors = start(model)
    train(model, parameters, vectors, examples, held_out, settings)
    return parameters


def same(some: Parameters, others: Parameters) -> bool:
    return all(value.tobytes() == others[name].tobytes() for name, value in some.items())


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_masks_are_zero_or_the_inverse_of_what_is_kept(share: float) -> None:
    first, second = Dropout(share, seed=3).masks(200, 50, np.float32)
    for mask in (first, second):
        assert mask.shape == (200, 50)
        assert mask.dtype == np.float32
        assert set(np.unique(mask)) == {np.float32(0), np.float32(1 / (1 - share))}
        error = (share / (1 - share) / mask.size) ** 0.5
        assert abs(mask.mean() - 1) < 4 * error
    assert not np.array_equal(first, second)


def test_masks_follow_the_seed_and_are_new_every_time() -> None:
    dropout, again, other = Dropout(0.5, seed=1), Dropout(0.5, seed=1), Dropout(0.5, seed=2)
    made = [dropout.masks(9, 9, np.float64)[0] for _ in range(2)]
    np.testing.assert_array_equal(again.masks(9, 9, np.float64)[0], made[0])
    assert not np.array_equal(*made)
    assert not np.array_equal(other.masks(9, 9, np.float64)[0], made[0])


def test_masks_are_not_drawn_from_the_numbers_that_order_the_batches() -> None:
    order = np.random.default_rng(1).random((2, 9, 9)) >= 0.5
    assert not np.array_equal(Dropout(0.5, seed=1).masks(9, 9, np.float64)[0] > 0, order[0])


@pytest.mark.parametrize("kind", ["entities", "upward", "additive"])
def test_a_step_is_that_of_the_masked_gradient(kind: str) -> None:
    """The twin writes a step with masks of its own out."""
    model = ModelSettings(kind=kind, K=4)
    settings = replace(SETTINGS, dropout=0.5)
    batches = in_batches(some_examples(), 5)
    found, vectors = start(model)
    learner = Learner(model, found, vectors, settings)
    for batch in batches:
        learner.step(batch)

    twin, _ = start(model)
    optimiser = AdaGrad(
        twin,
        rates=settings.rates(),
        regularisers=settings.regularisers(),
        clip=settings.clip,
        arithmetic=fastest_arithmetic(twin) if model.composes else NUMPY,
    )
    dropout = Dropout(0.5, seed=settings.seed)
    for batch in batches:
        masks = dropout.masks(batch.size, model.K, np.float32)
        done = forward(model, twin, vectors, batch, masks=masks, composer=fastest_composer(np.float32))
        optimiser.step(backward(model, twin, batch, done, LOSSES[settings.loss](done.scores, batch)[1]))
    assert same(found, twin)


@pytest.mark.parametrize("kind", ["entities", "upward", "additive"])
def test_dropout_changes_the_training_and_the_same_seed_repeats_it(kind: str) -> None:
    settings = replace(SETTINGS, dropout=0.5)
    found = run(settings, kind=kind)
    assert same(found, run(settings, kind=kind))
    assert not same(found, run(SETTINGS, kind=kind))


def test_features_alone_have_nothing_to_drop() -> None:
    assert same(run(replace(SETTINGS, dropout=0.5), kind="surface"), run(SETTINGS, kind="surface"))


def test_the_order_of_the_batches_is_that_without_dropout(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    step = Learner.step

    def spy(self: Learner, batch: Any) -> float:
        seen.append(batch.words.tobytes())
        return step(self, batch)

    monkeypatch.setattr(Learner, "step", spy)
    run(SETTINGS)
    without, seen[:] = list(seen), []
    run(replace(SETTINGS, dropout=0.5))
    assert seen == without
    assert len(set(seen)) > 1


def test_judging_drops_nothing() -> None:
    """With rates of zero nothing is learned, so every pass is judged like the first parameters."""
    still = {f"rate_{group}": 0.0 for group in SETTINGS.rates()}
    examples, model = some_examples(), ModelSettings(K=4)
    held_out = Development.of(examples, [frozenset({one.label}) for one in examples])
    parameters, vectors = start(model)
    wanted = held_out.judge(model, parameters, vectors, LOSSES["large-margin"])
    settings = replace(SETTINGS, dropout=0.5, **still)
    _, history = train(model, parameters, vectors, examples, held_out, settings)
    assert [epoch.development_loss for epoch in history.epochs] == [wanted.loss] * 3
    assert len({epoch.loss for epoch in history.epochs}) == 3


@pytest.mark.parametrize("wrong", [-0.1, 1.0, 1.5, "0.5", True, float("nan")])
def test_shares_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(SettingsError, match="dropout"):
        TrainingSettings(dropout=wrong)
