"""AdaGrad, clipping, the running mean and the warm start, each against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from disco2.data.batch import collate
from disco2.model import ModelSettings, initial_parameters
from disco2.training.loop import Development, train
from disco2.training.optimiser import AdaGrad, RunningMean, large_margin
from disco2.training.settings import TrainingSettings
from tests.generated import random_example

RATES = {"upward": 0.1, "downward": 0.2, "features": 0.3, "classification": 0.4, "entities": 0.5}
NO_PENALTY = dict.fromkeys(RATES, 0.0)


def test_adagrad_divides_by_the_root_of_the_summed_squares() -> None:
    parameters = {"U": np.zeros((1, 2)), "beta": np.zeros((1, 2))}
    optimiser = AdaGrad(parameters, rates=RATES, regularisers=NO_PENALTY, clip=100.0)
    for _ in range(2):
        optimiser.step({"U": np.array([[3.0, 0.0]]), "beta": np.array([[0.0, -1.0]])})
    expected = 1 + 1 / np.sqrt(2)
    np.testing.assert_allclose(parameters["U"], [[-0.1 * expected, 0]], rtol=1e-6)
    np.testing.assert_allclose(parameters["beta"], [[0, 0.3 * expected]], rtol=1e-6)


def test_the_norm_over_all_parameters_is_clipped() -> None:
    parameters = {"U": np.zeros((1, 1)), "V": np.zeros((1, 1))}
    optimiser = AdaGrad(parameters, rates=RATES, regularisers=NO_PENALTY, clip=5.0)
    gradients = {"U": np.array([[30.0]]), "V": np.array([[40.0]])}
    optimiser.step(gradients)
    np.testing.assert_allclose([gradients["U"][0, 0], gradients["V"][0, 0]], [3.0, 4.0])


def test_each_group_has_its_own_regulariser_and_the_bias_none() -> None:
    parameters = {"U": np.ones((1, 1)), "A3": np.ones((1, 1)), "b": np.ones(1)}
    penalties = NO_PENALTY | {"classification": 0.5}
    optimiser = AdaGrad(parameters, rates=RATES, regularisers=penalties, clip=100.0)
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
    development = Development.of(examples, [frozenset({example.label}) for example in examples])
    losses = []
    for warm_start in (0, 5):
        parameters = initial_parameters(model, labels=3, features=10, seed=1)
        settings = TrainingSettings(epochs=1, batch_size=5, warm_start=warm_start)
        _, history = train(model, parameters, generator.normal(size=(5, 4)), examples, development, settings)
        losses.append(history.epochs[0].loss)
    assert losses[1] < losses[0]
