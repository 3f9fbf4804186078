"""Examples -> parameters: passes over batches, development accuracy after each, the best kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from disco2.batches import Batch, Example, collate
from disco2.model.arrays import Floats
from disco2.model.network import backward, forward
from disco2.model.parameters import Parameters
from disco2.model.settings import ModelSettings
from disco2.model.threads import single_threaded
from disco2.training.adagrad import AdaGrad
from disco2.training.loss import LOSSES, Loss
from disco2.training.settings import TrainingSettings

log = logging.getLogger(__name__)

Progress = Callable[["Epoch"], None]


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass: its number, the mean loss on the way, and accuracy on the development part afterwards."""

    number: int
    loss: float
    accuracy: float


@dataclass(slots=True)
class History:
    """All passes, and which one was kept."""

    epochs: list[Epoch] = field(default_factory=list)
    best: Epoch | None = None


@dataclass(frozen=True, slots=True)
class Development:
    """Held-out examples and, for each, the numbers of the labels that count as right."""

    batches: tuple[Batch, ...]
    gold: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, examples: Sequence[Example], gold: Sequence[frozenset[int]], *, batch_size: int = 256) -> Development:
        return cls(tuple(in_batches(examples, batch_size)), tuple(gold))


def in_batches(examples: Sequence[Example], size: int) -> list[Batch]:
    """Batches of consecutive examples."""
    return [collate(examples[begin : begin + size]) for begin in range(0, len(examples), size)]


def train(
    model: ModelSettings,
    parameters: Parameters,
    vectors: Floats,
    examples: Sequence[Example],
    development: Development,
    settings: TrainingSettings,
    *,
    progress: Progress = lambda epoch: None,
) -> tuple[Parameters, History]:
    """Minimise the loss over the examples; return the parameters that did best on the development part.

    ``parameters`` are changed in place. Batches are drawn once; their order is new in every pass.
    """
    generator = np.random.default_rng(settings.seed)
    order = generator.permutation(len(examples))
    batches = in_batches([examples[index] for index in order], settings.batch_size)
    loss = LOSSES[settings.loss]
    history = History()
    best = {name: value.copy() for name, value in parameters.items()}
    with single_threaded():
        if settings.warm_start and model.uses_features and model.uses_vectors:
            _train_features_alone(model, parameters, vectors, batches, settings, generator, loss)
        optimiser = AdaGrad(parameters, rates=settings.rates(), regularisers=settings.regularisers(), clip=settings.clip)
        for number in range(1, settings.epochs + 1):
            mean_loss = _one_pass(model, parameters, vectors, batches, optimiser, generator, loss)
            epoch = Epoch(number, mean_loss, accuracy(model, parameters, vectors, development))
            history.epochs.append(epoch)
            log.debug("pass %d: loss %.4f, development accuracy %.4f", number, epoch.loss, epoch.accuracy)
            progress(epoch)
            if history.best is None or epoch.accuracy > history.best.accuracy:
                history.best = epoch
                for name, value in parameters.items():
                    np.copyto(best[name], value)
            elif number - history.best.number >= settings.patience:
                break
    return best, history


def accuracy(model: ModelSettings, parameters: Parameters, vectors: Floats, development: Development) -> float:
    """The share of examples whose best label counts as right."""
    chosen = [
        label
        for batch in development.batches
        for label in forward(model, parameters, vectors, batch).scores.argmax(axis=1).tolist()
    ]
    right = sum(label in gold for label, gold in zip(chosen, development.gold, strict=True))
    return right / max(len(chosen), 1)


def _one_pass(
    model: ModelSettings,
    parameters: Parameters,
    vectors: Floats,
    batches: Sequence[Batch],
    optimiser: AdaGrad,
    generator: np.random.Generator,
    loss: Loss,
) -> float:
    total, count = 0.0, 0
    for index in generator.permutation(len(batches)):
        batch = batches[index]
        done = forward(model, parameters, vectors, batch)
        value, d_scores = loss(done.scores, batch)
        optimiser.step(backward(model, parameters, batch, done, d_scores))
        total, count = total + value * batch.size, count + batch.size
    return total / max(count, 1)


def _train_features_alone(
    model: ModelSettings,
    parameters: Parameters,
    vectors: Floats,
    batches: Sequence[Batch],
    settings: TrainingSettings,
    generator: np.random.Generator,
    loss: Loss,
) -> None:
    """The paper's hint: convergence is faster when beta is trained first."""
    alone = ModelSettings(kind="surface", K=model.K)
    features = {name: parameters[name] for name in ("beta", "b")}
    optimiser = AdaGrad(features, rates=settings.rates(), regularisers=settings.regularisers(), clip=settings.clip)
    for _ in range(settings.warm_start):
        _one_pass(alone, features, vectors, batches, optimiser, generator, loss)
