"""When to stop and what to keep, with a development part whose scores are scripted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disco2.data.batch import collate
from disco2.features.extractor import ExampleEncoder
from disco2.model import ModelSettings, initial_parameters
from disco2.training.loop import Development, TrainingSettings, in_batches, large_margin, train
from tests.generated import random_example
from tests.instances import reasons_and_results

MODEL = ModelSettings(kind="upward", K=4, features=False)


class Scripted:
    """Answers given scores one after the other, and remembers the parameters it was shown.

    The loss falls all the time.
    """

    def __init__(self, *scores: float, positive: int | None = None) -> None:
        self._scores: Iterator[float] = iter(scores)
        self.positive = positive
        self.shown: list[dict[str, np.ndarray]] = []

    def judge(
        self, model: Any, parameters: dict[str, np.ndarray], vectors: Any, loss: Any, **_: Any
    ) -> tuple[float, float]:
        self.shown.append({name: value.copy() for name, value in parameters.items()})
        return next(self._scores), 1 / len(self.shown)


def run(development: Scripted, **settings: Any) -> tuple[dict[str, np.ndarray], Any, dict[str, np.ndarray]]:
    generator = np.random.default_rng(0)
    examples = [random_example(generator, words=(3, 4), vocabulary=5, labels=3)[0] for _ in range(12)]
    parameters = initial_parameters(MODEL, labels=3, features=0, seed=1)
    vectors = generator.normal(size=(5, 4)).astype(np.float32)
    chosen = TrainingSettings(**{"epochs": 5, "patience": 2, "batch_size": 4, "averaging": 0.5} | settings)
    best, history = train(MODEL, parameters, vectors, examples, development, chosen)  # type: ignore[arg-type]
    return best, history, parameters


def test_training_stops_when_nothing_gets_better_and_keeps_the_first_best() -> None:
    development = Scripted(0.2, 0.5, 0.5, 0.4, positive=0)
    best, history, _ = run(development)
    assert [epoch.score for epoch in history.epochs] == [0.2, 0.5, 0.5, 0.4]
    assert history.best.number == 2
    for name, value in best.items():
        np.testing.assert_array_equal(value, development.shown[1][name])
    assert not np.array_equal(development.shown[1]["U"], development.shown[2]["U"])


def test_what_is_judged_is_the_running_mean() -> None:
    development = Scripted(0.1)
    _, _, last = run(development, epochs=1)
    assert not np.array_equal(development.shown[0]["U"], last["U"])
    development = Scripted(0.1)
    _, _, last = run(development, epochs=1, averaging=0.0)
    np.testing.assert_array_equal(development.shown[0]["U"], last["U"])


def test_the_loss_decides_unless_one_class_is_told_from_the_rest() -> None:
    scores = (0.5, 0.4, 0.3, 0.2, 0.1)
    assert run(Scripted(*scores))[1].best.number == 5
    assert run(Scripted(*scores, positive=0))[1].best.number == 1


def test_a_training_with_compiled_code_is_the_one_with_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same losses in every pass, but for rounding; without numba there is nothing to compare."""
    pytest.importorskip("numba")
    pytest.importorskip("scipy")

    def losses(compiled: str) -> list[float]:
        monkeypatch.setenv("DISCO2_COMPILED", compiled)
        generator = np.random.default_rng(0)
        model = ModelSettings(K=8)
        examples = [
            random_example(generator, words=(9, 14), vocabulary=30, labels=3, features=6, chains=1)[0]
            for _ in range(60)
        ]
        _, history = train(
            model,
            initial_parameters(model, labels=3, features=6, seed=1),
            generator.normal(size=(30, 8)).astype(np.float32),
            examples,
            Development(in_batches(examples[:20], 16), [frozenset([one.label]) for one in examples[:20]]),
            TrainingSettings(epochs=5, batch_size=16),
        )
        return [figure for epoch in history.epochs for figure in (epoch.loss, epoch.development_loss)]

    np.testing.assert_allclose(losses("1"), losses("0"), rtol=1e-4)


# Only the bias counts, so every example gets these scores.
MAJORITY, PARAMETERS, VECTORS = (
    ModelSettings(kind="majority"),
    {"b": np.array([0.5, 2.0, 0.0])},
    np.zeros((1, 1)),
)


def development(*gold: set[int], positive: int | None = None) -> Development:
    generator = np.random.default_rng(0)
    examples = [random_example(generator, words=(1, 2), vocabulary=1, labels=3)[0] for _ in gold]
    return Development(in_batches(examples, 2), [frozenset(labels) for labels in gold], positive)


def test_accuracy_and_loss_take_the_best_of_two_right_labels() -> None:
    score, loss = development({1}, {0, 1}, {0, 2}).judge(MAJORITY, PARAMETERS, VECTORS, large_margin)
    assert score == pytest.approx(2 / 3)
    assert loss == pytest.approx((0 + 0 + (1 - 0.5 + 2) + (1 - 0.5 + 0)) / 3)


@pytest.mark.parametrize(("positive", "f1"), [(1, 2 * 1 / (3 + 1)), (0, 0.0)])
def test_f1_of_one_class(positive: int, f1: float) -> None:
    held_out = development({1}, {0}, {2}, positive=positive)
    score, _ = held_out.judge(MAJORITY, PARAMETERS, VECTORS, large_margin)
    assert score == pytest.approx(f1)


def test_weights_go_from_instances_to_batches_and_development_ignores_them() -> None:
    instances = [replace(one, weight=0.25) for one in reasons_and_results(2, seed=1)]
    instances += reasons_and_results(1, seed=2)
    encoder = ExampleEncoder(
        word_row=lambda form: 0, labels=("Cause", "Result"), extractor=None, with_entities=False
    )
    weighed = collate(encoder.encode(instances))
    assert weighed.weights.tolist() == [0.25, 0.25, 1.0]
    gold = [frozenset({0}), frozenset({1}), frozenset({2})]
    plain = replace(weighed, weights=np.ones(3, dtype=np.float32))
    first, second = (
        Development([batch], gold).judge(MAJORITY, PARAMETERS, VECTORS, large_margin)
        for batch in (weighed, plain)
    )
    assert first == second
