"""Tuning: what is varied and judged, and the settings that did best on the development relations.

Optuna, from the extra ``tune``, is imported by ``tuning_study`` alone.
"""

from __future__ import annotations

import importlib.util
import itertools
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disco2.data import Corpus
from disco2.engines import Engine
from disco2.errors import CorpusError, InputError, MissingExtraError, SettingsError
from disco2.experiments.configuration import Configuration, commented_toml
from disco2.experiments.division import Parts, divide
from disco2.experiments.runs import corpus_digest, readable_name, vectors_digest
from disco2.files import write_text
from disco2.model import ModelSettings
from disco2.training.preparation import hold_out
from disco2.version import VERSION

if TYPE_CHECKING:
    from optuna import Trial

GRIDS = ("quick", "paper")
SAMPLERS = ("tpe", "grid")
DEVELOPMENTS = ("dev", "random")
COMPLETE, PRUNED = "complete", "pruned"

# Section "implementation details" of the paper.
PAPER_K = (20, 30, 40, 50, 60)
PAPER_LAMBDAS = (0.0002, 0.002, 0.02, 0.2)
PAPER_RATES = (0.01, 0.03, 0.05, 0.09)

NEIGHBOURHOOD = 3.0  # quick: from a third of a value to three times it
PAPER_TRIALS, QUICK_TRIALS = 60, 12


@dataclass(frozen=True)
class Dimension:
    """One quantity: the settings that get its value, and the values it may have.

    Either a list of ``values`` in ascending order, or all numbers from ``low`` to ``high`` on a log scale. A
    study knows one of several values by its index, so that a sampler sees which ones are neighbours.
    """

    name: str
    settings: tuple[str, ...]
    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 0.0

    def suggest(self, trial: Trial) -> float:
        """The value for a trial."""
        if self.values:
            return self.values[trial.suggest_int(self.name, 0, len(self.values) - 1)]
        return float(f"{trial.suggest_float(self.name, self.low, self.high, log=True):.4g}")  # readable


@dataclass(frozen=True)
class Space:
    """Dimensions, the default number of trials, and points to try first (all there are if ``exhaustive``).

    A point maps the name of a dimension to an index among its values, or to a value.
    """

    name: str
    dimensions: tuple[Dimension, ...]
    trials: int
    points: tuple[Mapping[str, float], ...] = ()
    exhaustive: bool = False

    @property
    def settings(self) -> frozenset[str]:
        """The settings that are varied."""
        return frozenset(setting for dimension in self.dimensions for setting in dimension.settings)

    def to_json(self) -> dict[str, Any]:
        return {
            one.name: [*one.settings, list(one.values) if one.values else f"{one.low:.6g} to {one.high:.6g}"]
            for one in self.dimensions
        }


def choose_space(configuration: Configuration, *, grid: str = "quick", sampler: str = "tpe") -> Space:
    """The named space, with the dimensions that the configured kind of model has.

    paper: K in {20, 30, 40, 50, 60}, lambda in {0.0002, 0.002, 0.02, 0.2}, eta in {0.01, 0.03, 0.05, 0.09},
    the last two separate for U, V, beta, and A with B. These are 327,680 points, so they are sampled. The
    sampler ``grid`` tries every point of a smaller grid, with one lambda and one eta for all groups.

    quick: rates and regularisers from a third to three times the configured ones, which are tried first.
    """
    for value, known, option in ((grid, GRIDS, "grid"), (sampler, SAMPLERS, "sampler")):
        if value not in known:
            raise SettingsError(f"Unknown {option} '{value}'.", hint=f"Choose one of: {', '.join(known)}.")
    if configuration.model.kind == "majority":
        raise SettingsError("The most common class has nothing to tune.", hint="Choose another --kind.")
    if grid == "paper":
        return (
            _tied_paper_space(configuration.model) if sampler == "grid" else _paper_space(configuration.model)
        )
    if sampler == "grid":
        raise SettingsError(
            "The quick space has no grid: its values lie anywhere within bounds.",
            hint="Use --grid paper --sampler grid, or leave out --sampler.",
        )
    return _quick_space(configuration)


def _paper_space(model: ModelSettings) -> Space:
    """The paper's grid with a lambda and an eta for each group of parameters."""
    dimensions = [Dimension("K", ("model.K",), PAPER_K)] if model.uses_vectors else []
    for name, groups in _paper_groups(model).items():
        dimensions.append(Dimension(f"lambda_{name}", _settings("lambda", groups), PAPER_LAMBDAS))
        dimensions.append(Dimension(f"rate_{name}", _settings("rate", groups), PAPER_RATES))
    return Space("paper", tuple(dimensions), PAPER_TRIALS)


def _tied_paper_space(model: ModelSettings) -> Space:
    """Every point of the paper's grid with one lambda and one eta for all groups, in random order."""
    groups = [group for some in _paper_groups(model).values() for group in some]
    dimensions = [Dimension("K", ("model.K",), PAPER_K)] if model.uses_vectors else []
    dimensions.append(Dimension("lambda", _settings("lambda", groups), PAPER_LAMBDAS))
    dimensions.append(Dimension("rate", _settings("rate", groups), PAPER_RATES))
    indices = itertools.product(*(range(len(one.values)) for one in dimensions))
    names = [one.name for one in dimensions]
    points = [dict(zip(names, point, strict=True)) for point in indices]
    random.Random(1).shuffle(points)  # noqa: S311  so that the first few are a fair sample of all
    return Space("paper, tied", tuple(dimensions), len(points), tuple(points), exhaustive=True)


def _quick_space(configuration: Configuration) -> Space:
    """Rates and regularisers around the configured ones, one for each group; zeros are not tuned."""
    found: dict[str, float] = {}
    for group in _groups(configuration.model):
        for kind in ("lambda", "rate"):
            if value := getattr(configuration.training, f"{kind}_{group}"):
                found[f"{kind}_{group}"] = value
    if not found:
        raise SettingsError(
            "All rates and regularisers are zero: there is nothing to tune.", hint="Use --grid paper."
        )
    dimensions = tuple(
        Dimension(name, (f"training.{name}",), low=value / NEIGHBOURHOOD, high=value * NEIGHBOURHOOD)
        for name, value in found.items()
    )
    return Space("quick", dimensions, QUICK_TRIALS, (found,))


def _groups(model: ModelSettings) -> list[str]:
    """The groups of parameters of a model, apart from b."""
    has = {
        "upward": model.composes,
        "downward": model.kind == "entities",
        "features": model.uses_features,
        "classification": model.uses_vectors,
        "entities": model.kind == "entities",
    }
    return [group for group, wanted in has.items() if wanted]


def _paper_groups(model: ModelSettings) -> dict[str, list[str]]:
    """The paper's groups and ours in each: the paper has one for A and B."""
    found: dict[str, list[str]] = {}
    for group in _groups(model):
        found.setdefault("classification" if group == "entities" else group, []).append(group)
    if "classification" not in found:  # surface features alone: b, which belongs to A, learns as beta does
        found["features"].append("classification")
    return found


def _settings(kind: str, groups: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"training.{kind}_{group}" for group in groups)


@dataclass(frozen=True)
class Problem:
    """All that a trial needs. ``parts`` has training and development relations, and no test part."""

    corpus: Corpus
    parts: Parts
    configuration: Configuration
    space: Space
    seeds: tuple[int, ...]
    development: str  # dev: the corpus's own part; random: a share of the training relations

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Everything that the value of a trial depends on, beside its point in the space."""
        return {
            "corpus": corpus_digest(self.corpus),
            "settings": {
                section: {
                    name: list(value) if isinstance(value, tuple) else value
                    for name, value in values.items()
                    if f"{section}.{name}" not in self.space.settings
                }
                for section, values in self.configuration.to_json().items()
            },
            "vectors": vectors_digest(self.configuration.vectors.source),
            "space": self.space.to_json(),
            "seeds": list(self.seeds),
            "development": self.development,
            "disco2": VERSION,
        }

    @property
    def name(self) -> str:
        """A readable name with a hash of the facts."""
        words = (self.corpus.name, self.configuration.model.kind, self.parts.task.versus, self.space.name)
        return readable_name(words, self.facts)

    def with_values(self, values: Mapping[str, float]) -> Configuration:
        """The configuration with the value of each dimension, by its name."""
        return self.configuration.changed(
            {
                setting: values[dimension.name]
                for dimension in self.space.dimensions
                for setting in dimension.settings
            }
        )


def define_problem(
    corpus: Corpus, configuration: Configuration, space: Space, *, seeds: int = 2, development: str = "dev"
) -> Problem:
    """What is to be tuned. Each trial trains with ``seeds`` seeds, from ``training.seed`` on.

    ``development`` is "dev", the corpus's own part; or "random", as in the paper: a share of the training
    relations, the same in all trials, while the dev part is not used. Without a dev part, it is random.
    """
    if development not in DEVELOPMENTS:
        raise SettingsError(
            f"Unknown development relations '{development}'.",
            hint=f"Choose one of: {', '.join(DEVELOPMENTS)}.",
        )
    if seeds < 1:
        raise SettingsError(f"Models can't be trained with {seeds} seeds.", hint="Use 1 or more.")
    parts = divide(corpus, configuration)
    training, judged = parts.instances["train"], parts.instances["dev"]
    if not training:
        raise CorpusError(
            f"There is no labelled relation to train on under the protocol '{parts.protocol}'.",
            where=corpus.name,
            hint="See what was read with: disco2 corpus stats",
        )
    first = configuration.training.seed
    if development == "random" or not judged:
        development = "random"
        training, judged = hold_out(training, share=configuration.training.development_share, seed=first)
    seen = {"train": training, "dev": judged, "test": []}
    relations = {part: parts.relations["train"] if part == "train" else [] for part in parts.relations}
    parts = replace(parts, instances=seen, relations=relations)
    return Problem(corpus, parts, configuration, space, tuple(range(first, first + seeds)), development)


@dataclass(frozen=True)
class TrialRecord:
    """One trial: its values, the mean score over its seeds, and the mean loss at the kept passes.

    A pruned trial has what it had when it was stopped.
    """

    number: int
    state: str  # complete, pruned, running, waiting or fail
    values: Mapping[str, float]
    score: float | None
    by_seed: tuple[float, ...] = ()
    loss: float | None = None
    seconds: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "trial": self.number,
            "state": self.state,
            "score": self.score,
            "by_seed": list(self.by_seed),
            "loss": self.loss,
            "seconds": self.seconds,
            "values": dict(self.values),
        }


def rank_trials(trials: Iterable[TrialRecord]) -> list[TrialRecord]:
    """The complete trials by score, best first; equal ones by loss, then by number."""

    def key(trial: TrialRecord) -> tuple[float, float, int]:
        score = float("-inf") if trial.score is None else trial.score
        loss = float("inf") if trial.loss is None else trial.loss
        return -score, loss, trial.number

    return sorted((trial for trial in trials if trial.state == COMPLETE), key=key)


@dataclass(frozen=True)
class StudyProgress:
    """Finished trials of those wanted, and the best score; or a ``note`` for the user alone."""

    finished: int | None = None
    wanted: int = 0
    best: float | None = None
    note: str = ""


ReportProgress = Callable[[StudyProgress], None]


@dataclass(frozen=True)
class Tuned:
    """The best settings that were found, and the trials they come from."""

    configuration: Configuration
    space: Space
    study: str
    corpus: str
    protocol: str
    development: str
    seeds: tuple[int, ...]
    score_name: str  # accuracy, or f1 for one class against the rest
    trials: tuple[TrialRecord, ...]

    @cached_property
    def ranking(self) -> list[TrialRecord]:
        """The complete trials, best first."""
        return rank_trials(self.trials)

    @property
    def best(self) -> TrialRecord:
        return self.ranking[0]

    def count(self, *states: str) -> int:
        """How many trials are in one of these states."""
        return sum(trial.state in states for trial in self.trials)

    def to_json(self) -> dict[str, Any]:
        return {
            "study": self.study,
            "corpus": self.corpus,
            "protocol": self.protocol,
            "space": self.space.name,
            "development": self.development,
            "seeds": list(self.seeds),
            "score": self.score_name,
            "trials": self.count(COMPLETE, PRUNED),
            "pruned": self.count(PRUNED),
            "failed": self.count("fail"),
            "best": self.best.to_json(),
            "ranking": [trial.to_json() for trial in self.ranking[:10]],
        }

    def to_toml(self) -> str:
        """All settings with comments, after a note on where they come from, as --config reads them."""
        best, seeds = self.best, self.seeds
        judged = "the dev part" if self.development == "dev" else "a random share of the training relations"
        varied = ", ".join(f"{name} {value:.4g}" for name, value in best.values.items())
        note = [
            f"Tuned on {self.corpus} (protocol {self.protocol}), judged on {judged}.",
            f"Development {self.score_name} {100 * (best.score or 0):.2f}%, mean of the seeds"
            f" {seeds[0]} to {seeds[-1]}: trial {best.number}.",
            f"{self.count(COMPLETE, PRUNED)} trials in the space '{self.space.name}', {self.count(PRUNED)} of"
            f" them pruned; study {self.study}.",
            f"Varied: {varied}.",
        ]
        return "".join(f"# {line}\n" for line in note) + "\n" + commented_toml(self.configuration)


def write_best(tuned: Tuned, path: Path) -> None:
    write_text(path, [tuned.to_toml()])


def tune(
    corpus: Corpus,
    configuration: Configuration,
    *,
    space: Space,
    storage: str,
    trials: int = 0,
    engine: Engine | None = None,
    seeds: int = 2,
    development: str = "dev",
    pruning: bool = True,
    timeout: float | None = None,
    study: str = "",
    report: ReportProgress = lambda progress: None,
) -> Tuned:
    """Continue the study of this problem in the storage until ``trials`` trials are finished.

    The value of a trial is the mean score over ``seeds`` trainings on the development relations (see
    ``define_problem``): accuracy, or F1 for one class against the rest. The test part is never used. Pruned
    trials count as finished; ``trials=0`` is the space's default. The ``engine``'s workers run the trials, or
    this process if there is none; they must see the storage under the same address. After ``timeout`` seconds
    no trial is started. The study's name follows from the problem, so that problems don't mix in a storage.
    """
    _check_installed()
    if trials < 0:
        raise SettingsError(f"trials is {trials}; it must be at least 0.")
    from disco2.experiments.tuning_study import Address, run_trials

    wanted = trials or space.trials
    if space.exhaustive:
        wanted = min(wanted, len(space.points))
    deadline = None if timeout is None else time.monotonic() + timeout
    problem = define_problem(corpus, configuration, space, seeds=seeds, development=development)
    address = Address(storage, study or problem.name, pruning)
    records = run_trials(address, problem, wanted, deadline=deadline, engine=engine, report=report)
    best = rank_trials(records)
    if not best:
        raise InputError(
            f"No trial of the study '{address.name}' is complete.",
            hint="Use a longer --timeout, or run the same command again.",
        )
    return Tuned(
        configuration=problem.with_values(best[0].values),
        space=space,
        study=address.name,
        corpus=corpus.name,
        protocol=problem.parts.protocol,
        development=problem.development,
        seeds=problem.seeds,
        score_name=problem.parts.score_name,
        trials=tuple(records),
    )


def check_storage(address: str) -> None:
    """Raise if a study can't be kept at an address; called before long work starts."""
    _check_installed()
    from disco2.experiments.tuning_study import open_storage

    open_storage(address).engine.dispose()


def _check_installed() -> None:
    if importlib.util.find_spec("optuna") is None:
        raise MissingExtraError("optuna", "tune", "Tuning")
