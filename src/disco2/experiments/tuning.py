"""Tuning: search settings that do well on the development relations, with Optuna (extra ``tune``).

A study is kept in a SQLite file. The command that tunes samples the points of trials and records their
results; trials run in this process or in several ones. One that was cut short is repeated at the same point.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import compress
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from disco2.data import Corpus
from disco2.errors import InputError, MissingExtraError, SettingsError
from disco2.experiments.configuration import Configuration, assignments, commented_toml
from disco2.experiments.division import Parts, divide
from disco2.experiments.runs import corpus_digest, readable_name, vectors_digest, work_on
from disco2.experiments.train_run import Preparations, train_model
from disco2.files import FileLock, report_write_errors
from disco2.training.fit import hold_out
from disco2.version import VERSION

if TYPE_CHECKING:
    import optuna
    from optuna.distributions import BaseDistribution
    from optuna.storages import RDBStorage
    from optuna.trial import FrozenTrial

GRIDS = ("quick", "paper")
DEVELOPMENTS = ("dev", "random")

# Section "implementation details" of the paper.
PAPER_K = (20, 30, 40, 50, 60)
PAPER_LAMBDAS = (0.0002, 0.002, 0.02, 0.2)
PAPER_RATES = (0.01, 0.03, 0.05, 0.09)

NEIGHBOURHOOD = 3.0  # quick: from a third of a value to three times it
PAPER_TRIALS, QUICK_TRIALS = 60, 12
RANDOM_FIRST = 10  # trials before the sampler learns from them
SCORES, LOSS = "scores by seed", "loss"  # attributes of a trial


@dataclass(frozen=True)
class Space:
    """What is varied: by dimension the values it may have, and the settings that get its value."""

    name: str
    distributions: Mapping[str, BaseDistribution]
    settings: Mapping[str, tuple[str, ...]]
    trials: int  # by default
    first: Mapping[str, float] | None = None  # the values of the first trial


def choose_space(configuration: Configuration, *, grid: str = "quick") -> Space:
    """The named space, with the dimensions that the configured kind of model has.

    paper: K, lambda and eta from the paper's lists, the last two separate for U, V, beta, and A with B.
    quick: rates and regularisers from a third to three times the configured ones, which are tried first.
    """
    check_installed()
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    model = configuration.model
    if model.kind == "majority" or (grid == "paper" and model.kind == "encoder"):
        raise SettingsError(
            f"A model of kind '{model.kind}' has nothing to tune on the {grid} grid.",
            hint="Choose another --kind, or --grid quick for an encoder.",
        )
    entities, settings = model.kind == "entities", dict[str, tuple[str, ...]]()
    has = (model.composes, entities, model.uses_features, model.uses_vectors, entities)
    groups = list(compress(("upward", "downward", "features", "classification", "entities"), has))
    if grid == "quick":
        names = [f"training.{kind}_{group}" for group in groups for kind in ("lambda", "rate")]
        if model.kind == "encoder":
            names += ["encoder.rate", "encoder.hint_weight"]
        given = {name: value for name in names if (value := attrgetter(name)(configuration))}
        if not given:
            raise SettingsError("All rates and regularisers are zero.", hint="Use --grid paper.")
        first = {name.removeprefix("training."): value for name, value in given.items()}
        around = {
            name: FloatDistribution(value / NEIGHBOURHOOD, value * NEIGHBOURHOOD, log=True)
            for name, value in first.items()
        }
        settings = {name: (setting,) for name, setting in zip(first, given, strict=True)}
        return Space("quick", around, settings, QUICK_TRIALS, first)
    # The paper has one group for A and B. Where there is neither, b, which belongs to A, learns as beta does.
    together: dict[str, tuple[str, ...]] = {group: (group,) for group in groups if group != "entities"}
    if entities:
        together["classification"] = ("classification", "entities")
    elif "classification" not in groups:
        together["features"] = ("features", "classification")
    lists: dict[str, BaseDistribution] = {}
    if model.uses_vectors:
        settings["K"], lists["K"] = ("model.K",), CategoricalDistribution(PAPER_K)
    for name, some in together.items():
        for kind, values in (("lambda", PAPER_LAMBDAS), ("rate", PAPER_RATES)):
            settings[f"{kind}_{name}"] = tuple(f"training.{kind}_{group}" for group in some)
            lists[f"{kind}_{name}"] = CategoricalDistribution(values)
    return Space("paper", lists, settings, PAPER_TRIALS)


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
    def name(self) -> str:
        """A readable name with a hash of everything that the value of a trial depends on beside its point."""
        space = self.space
        varied = {setting for settings in space.settings.values() for setting in settings}
        fixed = assignments(self.configuration).items()
        facts = {
            "corpus": corpus_digest(self.corpus),
            **{name: value for name, value in fixed if name not in varied},
            "vectors": vectors_digest(self.configuration.vectors.source),
            "space": {name: [*space.settings[name], str(one)] for name, one in space.distributions.items()},
            "seeds": list(self.seeds),
            "development": self.development,
            "disco2": VERSION,
        }
        words = (self.corpus.name, self.configuration.model.kind, self.parts.task.versus, self.space.name)
        return readable_name(words, facts)

    def at(self, point: Mapping[str, float]) -> Configuration:
        """The configuration at a point, which has a value for each dimension."""
        values = readable(point)
        return self.configuration.changed(
            {setting: values[name] for name, some in self.space.settings.items() for setting in some}
        )

    def judge(
        self, point: Mapping[str, float], *, preparations: Preparations
    ) -> tuple[list[float], float | None]:
        """The score of every seed at a point, and the mean loss, at the kept passes."""
        scores: list[float] = []
        losses: list[float] = []
        for seed in self.seeds:
            settings = self.at(point).changed({"training.seed": seed})
            fitted = train_model(self.corpus, self.parts, settings, preparations=preparations)
            best = fitted.history.best
            scores.append(best.score if best else 0.0)
            losses.append(best.development_loss if best else math.inf)
        loss = fmean(losses)
        return scores, loss if math.isfinite(loss) else None


def readable(point: Mapping[str, float]) -> dict[str, float]:
    """The values of a point, rounded, so that they are readable in a configuration."""
    return {
        name: float(f"{value:.4g}") if isinstance(value, float) else value for name, value in point.items()
    }


def define_problem(
    corpus: Corpus, configuration: Configuration, space: Space, *, seeds: int = 2, development: str = "dev"
) -> Problem:
    """What is tuned. Each trial trains with ``seeds`` seeds, from ``training.seed`` on.

    ``development`` is "dev", the corpus's own part; or "random", as in the paper: a share of the training
    relations, the same in all trials, while the dev part is not used. Without a dev part, it is random.
    """
    parts = divide(corpus, configuration)
    training, judged = parts.instances["train"], parts.instances["dev"]
    first = configuration.training.seed
    if development == "random" or not judged:
        development = "random"
        training, judged = hold_out(training, share=configuration.training.development_share, seed=first)
    seen = {"train": training, "dev": judged, "test": []}
    relations = {part: parts.relations["train"] if part == "train" else [] for part in parts.relations}
    parts = replace(parts, instances=seen, relations=relations)
    return Problem(corpus, parts, configuration, space, tuple(range(first, first + seeds)), development)


@dataclass(frozen=True)
class Tuned:
    """The best settings that were found, and the complete trials they come from, best first."""

    problem: Problem
    ranking: list[FrozenTrial]

    @property
    def best(self) -> FrozenTrial:
        return self.ranking[0]

    @property
    def configuration(self) -> Configuration:
        """The settings of the best trial."""
        return self.problem.at(self.best.params)

    @property
    def score_name(self) -> str:
        """accuracy, or f1 for one class against the rest"""
        return self.problem.parts.score_name

    def to_json(self) -> dict[str, Any]:
        problem = self.problem
        ranking = [
            {
                "trial": one.number,
                "values": readable(one.params),
                "score": one.value,
                "by_seed": one.user_attrs[SCORES],
                "loss": one.user_attrs[LOSS],
                "seconds": round(one.duration.total_seconds(), 2) if one.duration else None,
            }
            for one in self.ranking[:10]
        ]
        return {
            "study": problem.name,
            "corpus": problem.corpus.name,
            "protocol": problem.parts.protocol,
            "space": problem.space.name,
            "development": problem.development,
            "seeds": list(problem.seeds),
            "score": self.score_name,
            "trials": len(self.ranking),
            "best": ranking[0],
            "ranking": ranking,
        }

    def to_toml(self) -> str:
        """All settings with comments, after a note on where they come from, as --config reads them."""
        facts = {name: json.dumps(fact) for name, fact in self.to_json().items() if name != "ranking"}
        note = "".join(f"# {name}: {fact}\n" for name, fact in facts.items())
        return f"# Tuned settings.\n{note}\n{commented_toml(self.configuration)}"


# Called with the number of finished trials, of those wanted, and the best score.
TuningProgress = Callable[[int, int, float | None], None]


def tune(
    corpus: Corpus,
    configuration: Configuration,
    *,
    space: Space,
    file: Path,
    trials: int = 0,
    jobs: int = 1,
    seeds: int = 2,
    development: str = "dev",
    progress: TuningProgress = lambda finished, wanted, best: None,
    notice: Callable[[str], None] = lambda text: None,
) -> Tuned:
    """Continue the study of this problem in a SQLite file until ``trials`` trials are finished.

    The value of a trial is the mean score over ``seeds`` trainings on the development relations (see
    ``define_problem``): accuracy, or F1 for one class against the rest. The test part is never used.
    ``trials=0`` is the space's default. An error of a trial or an interrupt stops the work; finished trials
    stay. The study's name follows from the problem, so that problems don't mix.
    """
    problem = define_problem(corpus, configuration, space, seeds=seeds, development=development)
    wanted = trials or space.trials
    running: dict[str, optuna.Trial] = {}

    def tasks() -> Iterator[tuple[str, Mapping[str, float]]]:
        for _ in range(wanted - len(ranking)):  # of the beginning
            trial = _sample_trial(study, problem)
            running[str(trial.number)] = trial
            yield str(trial.number), trial.params

    with _opened(file) as storage:
        study = _open_study(storage, problem)
        ranking = rank_trials(study)
        progress(len(ranking), wanted, ranking[0].value if ranking else None)
        judge = partial(problem.judge, preparations=Preparations())
        for number, (scores, loss) in work_on(tasks(), judge, jobs=jobs, notice=notice):
            trial = running.pop(number)
            trial.set_user_attr(SCORES, scores)
            trial.set_user_attr(LOSS, loss)
            study.tell(trial, fmean(scores))
            ranking = rank_trials(study)
            progress(len(ranking), wanted, ranking[0].value)
    return Tuned(problem, ranking)


def rank_trials(study: optuna.Study) -> list[FrozenTrial]:
    """The complete trials by score, best first; equal ones by loss, then by number."""
    from optuna.trial import TrialState

    def key(trial: FrozenTrial) -> tuple[float, float, int]:
        loss = trial.user_attrs[LOSS]
        return -(trial.value or 0.0), math.inf if loss is None else loss, trial.number

    return sorted(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)), key=key)


def check_installed() -> None:
    """Raise MissingExtraError if Optuna is not installed."""
    if importlib.util.find_spec("optuna") is None:
        raise MissingExtraError("optuna", "tune", "Tuning")


def check_storage(file: Path) -> None:
    """Raise if a study can't be kept in a file; called before long work starts."""
    check_installed()
    with _opened(file):
        pass


@contextmanager
def _opened(file: Path) -> Iterator[RDBStorage]:
    """The storage in a file, created if there is none; its errors are raised as SettingsError.

    It is locked: trials that it calls running are those of a command that was killed.
    """
    import optuna
    from optuna.exceptions import StorageInternalError
    from sqlalchemy.exc import SQLAlchemyError
    from sqlalchemy.pool import NullPool

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)  # it logs every interrupt
    with report_write_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(file.with_name(f"{file.name}.lock"))
    if not lock.take():
        raise InputError(
            "Another command is tuning with this study.",
            where=str(file),
            hint="Wait for it, or choose another --output. More processes for one study: --jobs",
        )
    try:
        # No connection is kept, for a forked process must not share one.
        yield optuna.storages.RDBStorage(f"sqlite:///{file}", engine_kwargs={"poolclass": NullPool})
    except (SQLAlchemyError, StorageInternalError) as error:
        reason = str(error.__cause__ or error).splitlines()[0]
        raise SettingsError(
            f"The study can't be used: {reason}.", where=str(file), hint="Can the file be written?"
        ) from error
    finally:
        lock.give_up()


def _open_study(storage: RDBStorage, problem: Problem) -> optuna.Study:
    """The study of a problem; trials that were cut short and the space's first one are queued."""
    import optuna
    from optuna.trial import TrialState

    study = optuna.create_study(
        storage=storage, study_name=problem.name, direction="maximize", load_if_exists=True
    )
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.enqueue_trial(trial.params)
        study.tell(trial.number, state=TrialState.FAIL)
    if problem.space.first:
        study.enqueue_trial(dict(problem.space.first), skip_if_exists=True)
    return study


def _sample_trial(study: optuna.Study, problem: Problem) -> optuna.Trial:
    """The next trial of the queue, or a new point.

    The sampler (multivariate TPE; Bergstra et al., 2011) is seeded by the number of trials so far: a study
    that was interrupted samples the same points as one that was not.
    """
    from optuna.exceptions import ExperimentalWarning
    from optuna.samplers import TPESampler

    seed = problem.configuration.training.seed * 1_000_003 + len(study.get_trials(deepcopy=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        study.sampler = TPESampler(
            seed=seed % 2**32, n_startup_trials=RANDOM_FIRST, multivariate=True, constant_liar=True
        )
    return study.ask(dict(problem.space.distributions))
