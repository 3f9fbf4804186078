"""AdaGrad, clipping, the running mean and the warm start, each against its definition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disco2.data.batch import Example, collate
from disco2.model import ModelSettings, initial_parameters
from disco2.model.network import backward, fastest_composer, forward
from disco2.model.parameters import Parameters
from disco2.training.loop import (
    LOSSES,
    NUMPY,
    AdaGrad,
    Development,
    Learner,
    RunningMean,
    TrainingSettings,
    composer_for,
    draw_masks,
    in_batches,
    large_margin,
    train,
)
from tests.generated import random_example

GROUPS = ("upward", "downward", "features", "classification", "entities")
PLAIN = TrainingSettings(
    clip=100.0, rate_upward=0.1, rate_features=0.3, **{f"lambda_{group}": 0.0 for group in GROUPS}
)


def test_adagrad_divides_by_the_root_of_the_summed_squares() -> None:
    parameters = {"U": np.zeros((1, 2)), "beta": np.zeros((1, 2))}
    optimiser = AdaGrad(parameters, PLAIN)
    for _ in range(2):
        optimiser.step({"U": np.array([[3.0, 0.0]]), "beta": np.array([[0.0, -1.0]])})
    expected = 1 + 1 / np.sqrt(2)
    np.testing.assert_allclose(parameters["U"], [[-0.1 * expected, 0]], rtol=1e-6)
    np.testing.assert_allclose(parameters["beta"], [[0, 0.3 * expected]], rtol=1e-6)


def test_the_norm_over_all_parameters_is_clipped() -> None:
    parameters = {"U": np.zeros((1, 1)), "V": np.zeros((1, 1))}
    optimiser = AdaGrad(parameters, replace(PLAIN, clip=5.0))
    gradients = {"U": np.array([[30.0]]), "V": np.array([[40.0]])}
    optimiser.step(gradients)
    np.testing.assert_allclose([gradients["U"][0, 0], gradients["V"][0, 0]], [3.0, 4.0])


def test_each_group_has_its_own_regulariser_and_the_bias_none() -> None:
    parameters = {"U": np.ones((1, 1)), "A3": np.ones((1, 1)), "b": np.ones(1)}
    optimiser = AdaGrad(parameters, replace(PLAIN, lambda_classification=0.5))
    gradients = {name: np.zeros_like(value) for name, value in parameters.items()}
    optimiser.step(gradients)
    assert gradients["U"] == 0
    assert gradients["A3"] == 1.0  # 2 x 0.5 x 1
    assert gradients["b"] == 0
    assert parameters["A3"] < 1


def test_the_running_mean_is_a_plain_one_at_first_and_then_forgets() -> None:
    parameters = {"b": np.array([0.0])}
    mean = RunningMean(parameters, decay=0.5)
    seen = []
    for value in (1.0, 3.0, 5.0):
        parameters["b"][:] = value
        mean.update()
        seen.append(float(mean.values["b"][0]))
    assert seen == [1.0, 2.0, 3.5]
    assert RunningMean(parameters, decay=0.0).values is parameters


@pytest.mark.parametrize(("label", "loss"), [(0, 0.0), (1, 3.0 + 1.5), (2, 2.5 + 0.5)])
def test_large_margin_by_hand(label: int, loss: float) -> None:
    batch = collate([random_example(np.random.default_rng(0), words=(1, 1), vocabulary=1, labels=1)[0]])
    batch.labels[0] = label
    found, gradient = large_margin(np.array([[2.0, 0.0, 0.5]]), batch)
    assert found == loss
    assert gradient.sum() == 0


def test_a_warm_start_trains_the_feature_weights_first() -> None:
    generator = np.random.default_rng(0)
    examples = [
        random_example(generator, words=(3, 4), vocabulary=5, labels=3, features=10)[0] for _ in range(30)
    ]
    model = ModelSettings(kind="upward", K=4)
    development = Development([collate(examples)], [frozenset({example.label}) for example in examples])
    losses = []
    for warm_start in (0, 5):
        parameters = initial_parameters(model, labels=3, features=10, seed=1)
        settings = TrainingSettings(epochs=1, batch_size=5, warm_start=warm_start)
        _, history = train(model, parameters, generator.normal(size=(5, 4)), examples, development, settings)
        losses.append(history.epochs[0].loss)
    assert losses[1] < losses[0]


LABELS, FEATURES, VOCABULARY = 3, 8, 10
SETTINGS = TrainingSettings(epochs=3, batch_size=5, averaging=0.0)


def some_examples(count: int = 14) -> list[Example]:
    generator = np.random.default_rng(0)
    shape: dict[str, Any] = {"words": (3, 4), "vocabulary": VOCABULARY, "labels": LABELS}
    return [random_example(generator, features=FEATURES, chains=1, **shape)[0] for _ in range(count)]


def start(model: ModelSettings) -> tuple[Parameters, np.ndarray]:
    vectors = np.random.default_rng(1).normal(size=(VOCABULARY, model.K)).astype(np.float32)
    return initial_parameters(model, labels=LABELS, features=FEATURES, seed=1), vectors


def same(some: Parameters, others: Parameters) -> bool:
    return all(value.tobytes() == others[name].tobytes() for name, value in some.items())


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_masks_are_zero_or_the_inverse_of_what_is_kept(share: float) -> None:
    first, second = draw_masks(np.random.default_rng(3), share, examples=200, width=50, dtype=np.float32)
    for mask in (first, second):
        assert mask.shape == (200, 50)
        assert mask.dtype == np.float32
        assert set(np.unique(mask)) == {np.float32(0), np.float32(1 / (1 - share))}
        error = (share / (1 - share) / mask.size) ** 0.5
        assert abs(mask.mean() - 1) < 4 * error
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("kind", ["entities", "upward", "additive"])
def test_a_step_is_that_of_the_masked_gradient(kind: str) -> None:
    """The twin writes a step with masks of its own out."""
    model = ModelSettings(kind=kind, K=4)
    settings = replace(SETTINGS, dropout=0.5)
    batches = in_batches(some_examples(), 5)
    found, vectors = start(model)
    learner = Learner(model, found, vectors, settings, composer_for(model, vectors, found))
    for batch in batches:
        learner.step(batch)

    twin, _ = start(model)
    optimiser = AdaGrad(twin, settings)
    (own,) = np.random.SeedSequence(settings.seed).spawn(1)
    generator = np.random.default_rng(own)
    for batch in batches:
        masks = draw_masks(generator, 0.5, examples=batch.size, width=model.K, dtype=np.float32)
        done = forward(model, twin, vectors, batch, masks=masks, composer=fastest_composer(np.float32))
        optimiser.step(backward(model, twin, batch, done, LOSSES[settings.loss](done.scores, batch)[1]))
    assert same(found, twin)


pytest.importorskip("numba")
pytest.importorskip("scipy")


@pytest.mark.parametrize("shape", [(0, 3), (1,), (7, 3), (12, 2, 50)])
@pytest.mark.parametrize(("penalty", "shrink"), [(0.0, 1.0), (0.02, 0.3)])
def test_an_update_is_numpys(shape: tuple[int, ...], penalty: float, shrink: float) -> None:
    from disco2.model import compiled

    def after(arithmetic) -> list[np.ndarray]:
        generator = np.random.default_rng(1)
        theta, gradient, mean = generator.normal(size=(3, *shape)).astype(np.float32)
        squares = np.zeros_like(theta)
        norm = arithmetic.penalise(gradient, theta, penalty)
        arithmetic.descend(gradient, squares, theta, shrink, 0.05)
        arithmetic.blend(mean, theta, 0.2)
        return [np.array(norm), squares, theta, mean]

    for found, expected in zip(after(compiled), after(NUMPY), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)
