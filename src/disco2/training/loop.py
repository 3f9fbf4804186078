"""Examples -> parameters: passes over batches, the development score after each, the best kept."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

import numpy as np

from disco2.data.batch import Batch, Example
from disco2.model.arrays import Floats
from disco2.model.composer import Composer, NumPyComposer
from disco2.model.fastest import fastest_composer
from disco2.model.network import backward, forward
from disco2.model.parameters import Parameters
from disco2.model.settings import ModelSettings
from disco2.threads import single_threaded
from disco2.training.adagrad import AdaGrad
from disco2.training.arithmetic import NUMPY, fastest_arithmetic
from disco2.training.averaging import RunningMean
from disco2.training.checkpoint import Checkpoint, TrainingState
from disco2.training.development import Development, Verdict, in_batches
from disco2.training.dropout import Dropout
from disco2.training.history import Epoch, History, Progress
from disco2.training.identity import training_identity
from disco2.training.loss import LOSSES
from disco2.training.settings import TrainingSettings

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
    checkpoint: Checkpoint | None = None,
) -> tuple[Parameters, History]:
    """Minimise the loss over the examples; return the parameters that did best on the development part.

    ``parameters`` are changed in place. Batches are drawn once; their order is new in every pass. With a
    ``checkpoint``, a training that was interrupted goes on behind the last pass that was saved, to the same
    numbers as without interruption; a finished one is not repeated. ``progress`` hears of every pass, at once
    of those that are restored.
    """
    generator = np.random.default_rng(settings.seed)
    order = generator.permutation(len(examples))
    batches = in_batches([examples[index] for index in order], settings.batch_size)
    by_loss = settings.stop_by == "loss" or (settings.stop_by == "auto" and development.positive is None)
    identity = ""
    saved: TrainingState | None = None
    if checkpoint:
        identity = training_identity(model, parameters, vectors, batches, development, settings)
        saved = checkpoint.load(identity=identity)
    history = saved.history if saved else History()
    best: Parameters = {name: saved.best[name] for name in parameters} if saved else {}
    finished = saved is not None and saved.finished
    before, started = history.seconds, time.perf_counter()
    composer = _composer_for(
        model, vectors, parameters
    )  # may load a BLAS, which the next line has to know of
    with single_threaded():
        if not saved and settings.warm_start and model.uses_features and model.uses_vectors:
            _train_features_alone(parameters, vectors, batches, settings, generator)
        learner = Learner(model, parameters, vectors, settings, composer=composer)
        if saved:
            learner.restore(saved)
            generator.bit_generator.state = saved.generator
            for epoch in history.epochs:
                progress(epoch)
        while not finished:
            mean_loss = learner.one_pass(batches, generator)
            verdict = learner.judge(development)
            epoch = Epoch(len(history.epochs) + 1, mean_loss, verdict.loss, verdict.score)
            history.epochs.append(epoch)
            log.debug("%s", epoch)
            progress(epoch)
            if epoch.beats(history.best, by_loss=by_loss):
                history.best = epoch
                best = {name: value.copy() for name, value in learner.mean.values.items()}
            waited = epoch.number - history.best.number if history.best else 0
            finished = epoch.number >= settings.epochs or waited >= settings.patience
            history.seconds = before + time.perf_counter() - started
            if checkpoint and (finished or checkpoint.is_due()):
                state = learner.state(history, best, generator, finished=finished)
                checkpoint.save(state, identity=identity)
    return best, history


class Learner:
    """Takes steps: parameters, their optimiser, dropout, and the running mean that is evaluated."""

    def __init__(
        self,
        model: ModelSettings,
        parameters: Parameters,
        vectors: Floats,
        settings: TrainingSettings,
        *,
        composer: Composer | None = None,
    ) -> None:
        self._model = model
        self._parameters = parameters
        self._vectors = vectors
        self._composer = composer or _composer_for(model, vectors, parameters)
        self.loss = LOSSES[settings.loss]
        arithmetic = fastest_arithmetic(parameters) if model.composes else NUMPY
        self._optimiser = AdaGrad(
            parameters,
            rates=settings.rates(),
            regularisers=settings.regularisers(),
            clip=settings.clip,
            arithmetic=arithmetic,
        )
        self.mean = RunningMean(parameters, decay=settings.averaging, arithmetic=arithmetic)
        drops = settings.dropout > 0 and model.uses_vectors
        self._dropout = Dropout(settings.dropout, seed=settings.seed) if drops else None

    def state(
        self, history: History, best: Parameters, generator: np.random.Generator, *, finished: bool
    ) -> TrainingState:
        """What is to be saved after a pass."""
        return TrainingState(
            parameters=self._parameters,
            squares=self._optimiser.squares,
            mean=self.mean.values if self.mean.values is not self._parameters else {},
            best=best,
            steps=self.mean.steps,
            history=history,
            generator=generator.bit_generator.state,
            dropout=self._dropout.generator.bit_generator.state if self._dropout else {},
            finished=finished,
        )

    def restore(self, state: TrainingState) -> None:
        """Go on from a saved state."""
        for current, saved in (
            (self._parameters, state.parameters),
            (self._optimiser.squares, state.squares),
            (self.mean.values, state.mean),
        ):
            for name, value in saved.items():
                current[name][...] = value
        self.mean.steps = state.steps
        if self._dropout:
            self._dropout.generator.bit_generator.state = state.dropout

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

    def judge(self, development: Development) -> Verdict:
        """How well the running mean does."""
        return development.judge(
            self._model, self.mean.values, self._vectors, self.loss, composer=self._composer
        )

    def one_pass(self, batches: Sequence[Batch], generator: np.random.Generator) -> float:
        """A step for every batch, in random order; the mean loss on the way."""
        total = 0.0
        for index in generator.permutation(len(batches)):
            total += self.step(batches[index]) * batches[index].size
        return total / max(sum(batch.size for batch in batches), 1)


def _composer_for(model: ModelSettings, vectors: Floats, parameters: Parameters) -> Composer:
    """Compiled code takes a second to load: as long as a whole training of a model that composes nothing."""
    if not model.composes:
        return NumPyComposer()
    return fastest_composer(vectors.dtype, *{value.dtype for value in parameters.values()})


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
