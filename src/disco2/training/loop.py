"""Examples -> parameters: passes over batches, the development score after each, the best kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from disco2.batches import Batch, Example
from disco2.model.arrays import Floats
from disco2.model.network import backward, forward
from disco2.model.parameters import Parameters
from disco2.model.settings import ModelSettings
from disco2.model.threads import single_threaded
from disco2.training.adagrad import AdaGrad
from disco2.training.averaging import RunningMean
from disco2.training.development import Development, in_batches
from disco2.training.loss import LOSSES
from disco2.training.settings import TrainingSettings

log = logging.getLogger(__name__)

Progress = Callable[["Epoch"], None]


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass: its number, the mean loss on the way, and loss and score on the development part after it."""

    number: int
    loss: float
    development_loss: float
    score: float

    def beats(self, other: Epoch | None, *, by_loss: bool) -> bool:
        """Whether this pass is the better one: by a lower loss, or by a higher score."""
        if other is None:
            return True
        return self.development_loss < other.development_loss if by_loss else self.score > other.score


@dataclass(slots=True)
class History:
    """All passes, and which one was kept."""

    epochs: list[Epoch] = field(default_factory=list)
    best: Epoch | None = None


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
    by_loss = settings.stop_by == "loss" or (settings.stop_by == "auto" and development.positive is None)
    history = History()
    best: Parameters = {}
    with single_threaded():
        if settings.warm_start and model.uses_features and model.uses_vectors:
            _train_features_alone(parameters, vectors, batches, settings, generator)
        learner = Learner(model, parameters, vectors, settings)
        for number in range(1, settings.epochs + 1):
            mean_loss = learner.one_pass(batches, generator)
            verdict = development.judge(model, learner.mean.values, vectors, learner.loss)
            epoch = Epoch(number, mean_loss, verdict.loss, verdict.score)
            history.epochs.append(epoch)
            log.debug("%s", epoch)
            progress(epoch)
            if epoch.beats(history.best, by_loss=by_loss):
                history.best = epoch
                best = {name: value.copy() for name, value in learner.mean.values.items()}
            elif history.best and number - history.best.number >= settings.patience:
                break
    return best, history


class Learner:
    """Takes steps: parameters, their optimiser, and the running mean that is evaluated."""

    def __init__(
        self, model: ModelSettings, parameters: Parameters, vectors: Floats, settings: TrainingSettings
    ) -> None:
        self._model = model
        self._parameters = parameters
        self._vectors = vectors
        self.loss = LOSSES[settings.loss]
        self._optimiser = AdaGrad(
            parameters, rates=settings.rates(), regularisers=settings.regularisers(), clip=settings.clip
        )
        self.mean = RunningMean(parameters, decay=settings.averaging)

    def step(self, batch: Batch) -> float:
        """Change the parameters by one batch; its mean loss before that."""
        done = forward(self._model, self._parameters, self._vectors, batch)
        value, d_scores = self.loss(done.scores, batch)
        self._optimiser.step(backward(self._model, self._parameters, batch, done, d_scores))
        self.mean.update()
        return value

    def one_pass(self, batches: Sequence[Batch], generator: np.random.Generator) -> float:
        """A step for every batch, in random order; the mean loss on the way."""
        total = 0.0
        for index in generator.permutation(len(batches)):
            total += self.step(batches[index]) * batches[index].size
        return total / max(sum(batch.size for batch in batches), 1)


def _train_features_alone(
    parameters: Parameters,
    vectors: Floats,
    batches: Sequence[Batch],
    settings: TrainingSettings,
    generator: np.random.Generator,
) -> None:
    """The paper's hint: convergence is faster when beta is trained first."""
    features = {name: parameters[name] for name in ("beta", "b")}
    learner = Learner(ModelSettings(kind="surface"), features, vectors, settings)
    for _ in range(settings.warm_start):
        learner.one_pass(batches, generator)
