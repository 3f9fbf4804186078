"""Examples -> parameters: passes over batches, the development score after each, the best kept."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from disco2.data.batch import Batch, Example, Floats, collate
from disco2.model.composition import Composer, compose, fastest_composer
from disco2.model.network import backward, batch_scores, forward
from disco2.model.parameters import Parameters
from disco2.model.settings import ModelSettings
from disco2.threads import single_threaded
from disco2.training.optimiser import LOSSES, AdaGrad, Dropout, Loss, RunningMean
from disco2.training.settings import TrainingSettings


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass: its number, the mean loss on the way, and loss and score on the development part after it."""

    number: int
    loss: float
    development_loss: float
    score: float


@dataclass(slots=True)
class History:
    """All passes, which one was kept, and the seconds that they took."""

    epochs: list[Epoch] = field(default_factory=list)
    best: Epoch | None = None
    seconds: float = field(default=0.0, compare=False)  # the same training never takes the same time


Progress = Callable[[Epoch], None]
Report = Callable[[str], None]  # called with a message during a long pass


@dataclass(frozen=True, slots=True)
class Development:
    """Held-out examples and, for each, the numbers of the labels that count as right.

    The score is accuracy, or F1 of the label ``positive`` where the task is one class against the rest.
    """

    batches: Sequence[Batch]
    gold: Sequence[frozenset[int]]
    positive: int | None = None

    @single_threaded()
    def judge(
        self,
        model: ModelSettings,
        parameters: Parameters,
        vectors: Floats,
        loss: Loss,
        *,
        composer: Composer = compose,
    ) -> tuple[float, float]:
        """Score (0 to 1) and mean loss. Of several right labels the one with the best score counts."""
        chosen: list[int] = []
        total = 0.0
        for batch in self.batches:
            scores = batch_scores(model, parameters, vectors, batch, composer=composer)
            gold = self.gold[len(chosen) : len(chosen) + batch.size]
            best_right = [max(labels, key=row.__getitem__) for labels, row in zip(gold, scores, strict=True)]
            judged = replace(
                batch,
                labels=np.array(best_right, dtype=np.int32),
                weights=np.ones(batch.size, dtype=np.float32),  # weights are for training
            )
            total += batch.size * loss(scores, judged)[0]
            chosen.extend(scores.argmax(axis=1).tolist())
        return self._score(chosen), total / max(len(chosen), 1)

    def _score(self, chosen: Sequence[int]) -> float:
        if self.positive is None:
            right = sum(label in gold for label, gold in zip(chosen, self.gold, strict=True))
            return right / max(len(chosen), 1)
        found = [label == self.positive for label in chosen]
        wanted = [self.positive in gold for gold in self.gold]
        both = sum(one and other for one, other in zip(found, wanted, strict=True))
        return 2 * both / max(sum(found) + sum(wanted), 1)


def in_batches(examples: Sequence[Example], size: int) -> list[Batch]:
    """Batches of consecutive examples."""
    return [collate(examples[begin : begin + size]) for begin in range(0, len(examples), size)]


log = logging.getLogger(__name__)


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

    ``parameters`` are changed in place. Batches are drawn once; their order is new in every pass, after which
    ``progress`` is called.
    """
    generator = np.random.default_rng(settings.seed)
    order = generator.permutation(len(examples))
    batches = in_batches([examples[index] for index in order], settings.batch_size)
    by_loss = settings.stop_by == "loss" or (settings.stop_by == "auto" and development.positive is None)
    history, best = History(), dict[str, Floats]()
    started = time.perf_counter()
    composer = composer_for(model, vectors, parameters)  # may load a BLAS that the next line must know of
    with single_threaded():
        if settings.warm_start and model.uses_features and model.uses_vectors:
            # The paper's hint: convergence is faster when beta is trained first.
            features = {name: parameters[name] for name in ("beta", "b")}
            alone = Learner(ModelSettings(kind="surface"), features, vectors, settings, compose)
            for _ in range(settings.warm_start):
                alone.one_pass(batches, generator)
        learner = Learner(model, parameters, vectors, settings, composer)
        for number in range(1, settings.epochs + 1):
            mean_loss = learner.one_pass(batches, generator)
            score, loss = development.judge(
                model, learner.mean.values, vectors, learner.loss, composer=composer
            )
            epoch = Epoch(number, mean_loss, loss, score)
            history.epochs.append(epoch)
            log.debug("%s", epoch)
            progress(epoch)
            kept = history.best
            if kept is None or (loss < kept.development_loss if by_loss else score > kept.score):
                history.best = epoch
                best = {name: value.copy() for name, value in learner.mean.values.items()}
            if history.best and number - history.best.number >= settings.patience:
                break
    history.seconds = time.perf_counter() - started
    return best, history


class Learner:
    """Takes steps: parameters, their optimiser, dropout, and the running mean that is evaluated."""

    def __init__(
        self,
        model: ModelSettings,
        parameters: Parameters,
        vectors: Floats,
        settings: TrainingSettings,
        composer: Composer,
    ) -> None:
        self._model = model
        self._parameters = parameters
        self._vectors = vectors
        self._composer = composer
        self.loss = LOSSES[settings.loss]
        self._optimiser = AdaGrad(
            parameters, rates=settings.rates(), regularisers=settings.regularisers(), clip=settings.clip
        )
        self.mean = RunningMean(parameters, decay=settings.averaging)
        drops = settings.dropout > 0 and model.uses_vectors
        self._dropout = Dropout(settings.dropout, seed=settings.seed) if drops else None

    def step(self, batch: Batch) -> float:
        """Change the parameters by one batch; its mean loss before that."""
        masks = None
        if self._dropout:
            masks = self._dropout.masks(batch.size, self._vectors.shape[1], self._vectors.dtype)
        done = forward(
            self._model, self._parameters, self._vectors, batch, masks=masks, composer=self._composer
        )
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


def composer_for(model: ModelSettings, vectors: Floats, parameters: Parameters) -> Composer:
    """Compiled code takes a second to load: as long as a whole training of a model that composes nothing."""
    if not model.composes:
        return compose
    return fastest_composer(vectors.dtype, *{value.dtype for value in parameters.values()})
