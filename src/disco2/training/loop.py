"""Examples -> parameters: passes over batches, the development score after each, the best kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from disco2.data.batch import Batch, Example, Floats, collate
from disco2.model.network import (
    Composer,
    Masks,
    backward,
    batch_scores,
    compose,
    fastest_composer,
    forward,
    is_compiled,
)
from disco2.model.parameters import GROUP_OF, TINY, ModelSettings, Parameters
from disco2.settings import Settings, setting
from disco2.threads import single_threaded


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """Optimisation. Rates and regularisers are separate for the groups of parameters."""

    seed: int = setting(
        1, "fixes initial parameters, order of examples and the random development part", minimum=0
    )
    epochs: int = setting(30, "passes over the training relations at most", minimum=1)
    patience: int = setting(
        6, "stop after this number of passes without improvement in development", minimum=1
    )
    batch_size: int = setting(64, "relations in a step", minimum=1)
    development_share: float = setting(
        0.2, "of the training relations, where the corpus has no dev part", above=0, below=1
    )
    loss: str = setting(
        "large-margin", "large-margin: the paper's; logistic: softmax", choices=("large-margin", "logistic")
    )
    averaging: float = setting(
        0.98,
        "decay of the running mean of the parameters that is kept; 0: no mean",
        minimum=0,
        below=1,
    )
    clip: float = setting(5.0, "largest norm of a gradient", above=0)
    warm_start: int = setting(0, "passes that train the feature weights alone before all else", minimum=0)
    dropout: float = setting(
        0.0,
        "share of the components of the argument vectors u_m, u_n that is set to zero at random in each "
        "training step (inverted dropout: the rest is divided by 1 - share); 0: none",
        minimum=0,
        below=1,
    )
    rate_upward: float = setting(0.02, "learning rate of U", minimum=0)
    rate_downward: float = setting(0.003, "learning rate of V", minimum=0)
    rate_features: float = setting(0.01, "learning rate of beta", minimum=0)
    rate_surface: float = setting(
        0.01, "learning rate of beta in members that read the surface features alone", minimum=0
    )
    rate_classification: float = setting(0.02, "learning rate of A and b", minimum=0)
    rate_entities: float = setting(0.003, "learning rate of B; the paper: that of A", minimum=0)
    lambda_upward: float = setting(0.02, "regulariser of U", minimum=0)
    lambda_downward: float = setting(0.002, "regulariser of V", minimum=0)
    lambda_features: float = setting(0.0005, "regulariser of beta", minimum=0)
    lambda_classification: float = setting(0.001, "regulariser of A", minimum=0)
    lambda_entities: float = setting(0.002, "regulariser of B; the paper: that of A", minimum=0)


Loss = Callable[[Floats, Batch], tuple[float, Floats]]


def large_margin(scores: Floats, batch: Batch) -> tuple[float, Floats]:
    """l = sum over y' != y* of max(0, 1 - psi(y*) + psi(y')) (paper, eq. 6)."""
    rows = np.arange(batch.size)
    margins = 1 - scores[rows, batch.labels][:, None] + scores
    margins[rows, batch.labels] = 0
    violated = (margins > 0).astype(scores.dtype)
    violated[rows, batch.labels] = -violated.sum(axis=1)
    weights = batch.weights[:, None]
    return float((np.maximum(margins, 0) * weights).sum()) / batch.size, violated * weights / batch.size


def logistic(scores: Floats, batch: Batch) -> tuple[float, Floats]:
    """l = -log softmax of the right label: not the paper's, for comparison."""
    rows = np.arange(batch.size)
    shifted = scores - scores.max(axis=1, keepdims=True)
    odds = np.exp(shifted)
    totals = odds.sum(axis=1, keepdims=True)
    gradient = odds / totals
    gradient[rows, batch.labels] -= 1
    losses = np.log(totals[:, 0]) - shifted[rows, batch.labels]
    return float((losses * batch.weights).sum()) / batch.size, gradient * batch.weights[:, None] / batch.size


def log_softmax(scores: Floats) -> Floats:
    """log p(y), [n, Y]."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    found: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found


LOSSES: dict[str, Loss] = {"large-margin": large_margin, "logistic": logistic}


class Arithmetic(NamedTuple):
    """Everything is changed in place."""

    penalise: Callable[[Floats, Floats, float], float]  # gradient, theta, twice lambda -> squared norm
    descend: Callable[[Floats, Floats, Floats, float, float], None]  # gradient, squares, theta, shrink, rate
    blend: Callable[[Floats, Floats, float], None]  # mean, theta, share of theta


def penalise(gradient: Floats, theta: Floats, penalty: float) -> float:
    """g <- g + penalty theta; returns the squared norm of g."""
    if penalty:
        gradient += gradient.dtype.type(penalty) * theta
    return float(np.vdot(gradient, gradient))


def descend(gradient: Floats, squares: Floats, theta: Floats, shrink: float, rate: float) -> None:
    """g <- shrink g; squares <- squares + g^2; theta <- theta - rate g / sqrt(squares)."""
    dtype = gradient.dtype.type
    if shrink != 1.0:
        gradient *= dtype(shrink)
    squares += np.square(gradient)
    theta -= dtype(rate) * gradient / (np.sqrt(squares) + dtype(TINY))


def blend(mean: Floats, theta: Floats, share: float) -> None:
    """mean <- mean + share (theta - mean)."""
    mean += mean.dtype.type(share) * (theta - mean)


NUMPY = Arithmetic(penalise, descend, blend)


def fastest_arithmetic(parameters: Parameters) -> Arithmetic:
    """Compiled for contiguous singles of a model that composes."""
    if "U" not in parameters or not is_compiled(*{value.dtype for value in parameters.values()}):
        return NUMPY
    from disco2.model import compiled

    return Arithmetic(compiled.penalise, compiled.descend, compiled.blend)


class AdaGrad:
    """theta <- theta - eta g / sqrt(sum of squared g), g = dL/dtheta + 2 lambda theta (Duchi et al. 2011).

    The norm of g over all parameters is clipped first (Pascanu et al. 2012). The bias is not regularised.
    """

    def __init__(self, parameters: Parameters, settings: TrainingSettings) -> None:
        self._parameters, self._clip = parameters, settings.clip
        self._rates = {name: getattr(settings, f"rate_{GROUP_OF[name]}") for name in parameters}
        self._penalties = {
            name: 0.0 if name == "b" else 2 * getattr(settings, f"lambda_{GROUP_OF[name]}")
            for name in parameters
        }
        self._arithmetic = fastest_arithmetic(parameters)
        self.squares = {name: np.zeros_like(value) for name, value in parameters.items()}  # summed squared g

    def step(self, gradients: Parameters) -> None:
        """Change the parameters in place. Gradients are used up; parameters without one stay as they are."""
        total = 0.0
        for name, gradient in gradients.items():
            total += self._arithmetic.penalise(gradient, self._parameters[name], self._penalties[name])
        norm = total**0.5
        shrink = self._clip / norm if norm > self._clip else 1.0
        for name, gradient in gradients.items():
            self._arithmetic.descend(
                gradient, self.squares[name], self._parameters[name], shrink, self._rates[name]
            )


class RunningMean:
    """mean <- d mean + (1 - d) theta after every step, with d = min(decay, steps / (steps + 1)).

    The first steps are so averaged plainly (Polyak & Juditsky 1992), later ones with a window of about
    1 / (1 - decay) steps. With a decay of 0 the mean is the parameters themselves.
    """

    def __init__(self, parameters: Parameters, *, decay: float) -> None:
        self._parameters, self._decay, self._steps = parameters, decay, 0
        self._arithmetic = fastest_arithmetic(parameters)
        self.values = {name: value.copy() for name, value in parameters.items()} if decay else parameters

    def update(self) -> None:
        if not self._decay:
            return
        decay = min(self._decay, self._steps / (self._steps + 1))
        self._steps += 1
        for name, mean in self.values.items():
            self._arithmetic.blend(mean, self._parameters[name], 1 - decay)


def draw_masks(
    generator: np.random.Generator, share: float, *, examples: int, width: int, dtype: DTypeLike
) -> Masks:
    """For u_m and u_n, each [examples, width]: 0 with the probability of the share, else 1 / (1 - share).

    The expected value of a component is 1, so nothing needs to be scaled when the model is used.
    """
    kept = generator.random((2, examples, width)) >= share
    first, second = (kept / (1 - share)).astype(dtype)
    return first, second


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
        right = [label in gold for label, gold in zip(chosen, self.gold, strict=True)]
        score = sum(right) / max(len(chosen), 1)
        if self.positive is not None:
            both = sum(one and label == self.positive for one, label in zip(right, chosen, strict=True))
            found, wanted = chosen.count(self.positive), sum(self.positive in gold for gold in self.gold)
            score = 2 * both / max(found + wanted, 1)
        return score, total / max(len(chosen), 1)


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

    ``parameters`` are changed in place. Batches are drawn once; their order is new in every pass, after which
    ``progress`` is called.
    """
    generator = np.random.default_rng(settings.seed)
    order = generator.permutation(len(examples))
    batches = in_batches([examples[index] for index in order], settings.batch_size)
    by_loss = development.positive is None  # else by F1 of the one class
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
        self._model, self._parameters, self._vectors = model, parameters, vectors
        self._composer = composer
        self.loss = LOSSES[settings.loss]
        self._optimiser = AdaGrad(parameters, settings)
        self.mean = RunningMean(parameters, decay=settings.averaging)
        self._dropout = settings.dropout if model.uses_vectors else 0.0
        (own,) = np.random.SeedSequence(settings.seed).spawn(1)
        self._generator = np.random.default_rng(own)  # so that the order of batches does not depend on it

    def step(self, batch: Batch) -> float:
        """Change the parameters by one batch; its mean loss before that."""
        masks = None
        if self._dropout:
            width, dtype = self._vectors.shape[1], self._vectors.dtype
            masks = draw_masks(self._generator, self._dropout, examples=batch.size, width=width, dtype=dtype)
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
