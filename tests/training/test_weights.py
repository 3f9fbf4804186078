"""What an example counts in training: its weight, in the loss and in every gradient, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from disco2.data.batch import Example, collate
from disco2.features.encoder import Encoder
from disco2.model import ModelSettings, initial_parameters
from disco2.model.network import backward, forward
from disco2.training.loop import Development
from disco2.training.optimiser import LOSSES
from tests.generated import random_example
from tests.instances import reasons_and_results

LABELS, FEATURES, VOCABULARY = 4, 8, 20
MODEL = ModelSettings(K=4)


def examples(count: int = 5) -> list[Example]:
    generator = np.random.default_rng(1)
    shape = {"words": (4, 6), "vocabulary": VOCABULARY, "labels": LABELS, "features": FEATURES}
    return [random_example(generator, chains=2, mentions=2, **shape)[0] for _ in range(count)]  # type: ignore[arg-type]


def weighed(some: Sequence[Example], *weights: float) -> list[Example]:
    return [replace(one, weight=weight) for one, weight in zip(some, weights, strict=True)]


def parameters_and_vectors(dtype: type = np.float64) -> tuple[dict[str, np.ndarray], np.ndarray]:
    generator = np.random.default_rng(2)
    parameters = initial_parameters(MODEL, labels=LABELS, features=FEATURES, seed=2, dtype=dtype)
    for value in parameters.values():  # nothing at zero, so that every term counts
        value += generator.normal(0, 0.3, size=value.shape).astype(dtype)
    return parameters, generator.normal(size=(VOCABULARY, MODEL.K)).astype(dtype)


def loss_and_gradients(
    some: Sequence[Example], loss: str, parameters: dict[str, np.ndarray], vectors: np.ndarray
) -> tuple[float, dict[str, np.ndarray]]:
    """Sums over the batch: the mean times the number of examples."""
    batch = collate(some)
    done = forward(MODEL, parameters, vectors, batch)
    value, d_scores = LOSSES[loss](done.scores, batch)
    return value * batch.size, backward(MODEL, parameters, batch, done, d_scores * batch.size)


def test_weights_go_from_instances_to_batches() -> None:
    instances = [replace(one, weight=0.25) for one in reasons_and_results(2, seed=1)]
    instances += reasons_and_results(1, seed=2)
    encoder = Encoder(
        word_row=lambda form: 0, labels=("Cause", "Result"), extractor=None, with_entities=False
    )
    encoded = encoder.encode(instances)
    assert [one.weight for one in encoded] == [0.25, 0.25, 1.0]
    weights = collate(encoded).weights
    assert weights.tolist() == [0.25, 0.25, 1.0]
    assert weights.dtype == np.float32


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("weights", "same"),
    [((1, 2, 1), (0, 1, 1, 2)), ((0, 1, 1), (1, 2)), ((3, 0, 0), (0, 0, 0))],
    ids=["twice", "not there", "only one"],
)
def test_a_weight_stands_for_repetitions(
    loss: str, weights: tuple[float, ...], same: tuple[int, ...]
) -> None:
    parameters, vectors = parameters_and_vectors()
    some = examples(3)
    value, gradients = loss_and_gradients(weighed(some, *weights), loss, parameters, vectors)
    expected, expected_gradients = loss_and_gradients(
        [some[place] for place in same], loss, parameters, vectors
    )
    assert value == pytest.approx(expected, rel=1e-12)
    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, expected_gradients[name], rtol=1e-9, atol=1e-12)


def test_development_knows_no_weights() -> None:
    parameters, vectors = parameters_and_vectors()
    some = examples(3)
    gold = [frozenset({one.label}) for one in some]
    verdicts = [
        Development([collate(chosen)], gold).judge(MODEL, parameters, vectors, LOSSES["large-margin"])
        for chosen in (some, weighed(some, 0.0, 5.0, 0.1))
    ]
    assert verdicts[0] == verdicts[1]
