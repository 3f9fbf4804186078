"""Tuning: search settings that do well on the development relations, with Optuna (extra ``tune``).

A study is kept in a SQLite file. The command that tunes samples the points of trials and records their
results; trials run in this process or in several ones. One that was cut short is repeated at the same point.
"""

from __future__ import annotations

import importlib.util
import logging
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from disco2.data import Corpus
from disco2.engines import LocalEngine, Task, outcomes_of
from disco2.errors import InputError, MissingExtraError, SettingsError
from disco2.experiments.configuration import Configuration, commented_toml
from disco2.experiments.train_run import Preparations, train_model
from disco2.experiments.tuning_problem import Problem, Space, define_problem
from disco2.lock import FileLock
from disco2.training.loop import Epoch

if TYPE_CHECKING:
    import optuna
    from optuna.storages import RDBStorage

COMPLETE, PRUNED = "complete", "pruned"

RANDOM_FIRST = 10  # trials before the sampler learns from them
PRUNE_AFTER_TRIALS = 5  # complete ones, before any is pruned
PRUNE_AFTER_PASSES = 5  # of the first seed
KEPT_PERCENTILE = 75.0  # trials in the worst quarter at a step are pruned

SQLITE = "sqlite:///"
SQLITE_TIMEOUT = 60  # seconds to wait while another process writes
# Attributes of a trial.
VALUES, SCORES, LOSSES, REPEATS = "values", "scores by seed", "losses by seed", "repeats"


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
        content = asdict(self)
        return {"trial": content.pop("number"), **content}


def rank_trials(trials: Iterable[TrialRecord]) -> list[TrialRecord]:
    """The complete trials by score, best first; equal ones by loss, then by number."""

    def key(trial: TrialRecord) -> tuple[float, float, int]:
        score = -math.inf if trial.score is None else trial.score
        loss = math.inf if trial.loss is None else trial.loss
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

    problem: Problem
    trials: tuple[TrialRecord, ...]

    @cached_property
    def ranking(self) -> list[TrialRecord]:
        """The complete trials, best first."""
        return rank_trials(self.trials)

    @property
    def best(self) -> TrialRecord:
        return self.ranking[0]

    @property
    def configuration(self) -> Configuration:
        """The settings of the best trial."""
        return self.problem.with_values(self.best.values)

    @property
    def score_name(self) -> str:
        """accuracy, or f1 for one class against the rest"""
        return self.problem.parts.score_name

    def count(self, *states: str) -> int:
        """How many trials are in one of these states."""
        return sum(trial.state in states for trial in self.trials)

    def to_json(self) -> dict[str, Any]:
        problem = self.problem
        return {
            "study": problem.name,
            "corpus": problem.corpus.name,
            "protocol": problem.parts.protocol,
            "space": problem.space.name,
            "development": problem.development,
            "seeds": list(problem.seeds),
            "score": self.score_name,
            "trials": self.count(COMPLETE, PRUNED),
            "pruned": self.count(PRUNED),
            "failed": self.count("fail"),
            "best": self.best.to_json(),
            "ranking": [trial.to_json() for trial in self.ranking[:10]],
        }

    def to_toml(self) -> str:
        """All settings with comments, after a note on where they come from, as --config reads them."""
        best, problem = self.best, self.problem
        dev = problem.development == "dev"
        varied = ", ".join(f"{name} {value:.4g}" for name, value in best.values.items())
        note = [
            f"Tuned on {problem.corpus.name} (protocol {problem.parts.protocol}), judged on "
            f"{'the dev part' if dev else 'a random share of the training relations'}.",
            f"Development {self.score_name} {100 * (best.score or 0):.2f}%, mean of the seeds"
            f" {problem.seeds[0]} to {problem.seeds[-1]}: trial {best.number}.",
            f"{self.count(COMPLETE, PRUNED)} trials in the space '{problem.space.name}', "
            f"{self.count(PRUNED)} of them pruned; study {problem.name}.",
            f"Varied: {varied}.",
        ]
        return "".join(f"# {line}\n" for line in note) + "\n" + commented_toml(self.configuration)


def tune(
    corpus: Corpus,
    configuration: Configuration,
    *,
    space: Space,
    storage: str,
    trials: int = 0,
    jobs: int = 1,
    seeds: int = 2,
    development: str = "dev",
    pruning: bool = True,
    report: ReportProgress = lambda progress: None,
) -> Tuned:
    """Continue the study of this problem in the storage until ``trials`` trials are finished.

    The value of a trial is the mean score over ``seeds`` trainings on the development relations (see
    ``define_problem``): accuracy, or F1 for one class against the rest. The test part is never used. Pruned
    trials count as finished; ``trials=0`` is the space's default. With several ``jobs``, as many processes
    run trials. An error of a trial or an interrupt stops the work; finished trials stay. The study's name
    follows from the problem, so that problems don't mix.
    """
    check_installed()
    problem = define_problem(corpus, configuration, space, seeds=seeds, development=development)
    file = storage_file(storage)
    with _only_user(file), storage_errors(storage):
        open_study = partial(_open_study, file.absolute(), problem.name, pruning=pruning)
        records = _run_trials(_TrialWork(problem, open_study), trials or space.trials, jobs, report)
    return Tuned(problem, tuple(records))


def check_installed() -> None:
    """Raise MissingExtraError if Optuna is not installed."""
    if importlib.util.find_spec("optuna") is None:
        raise MissingExtraError("optuna", "tune", "Tuning")


def check_storage(address: str) -> None:
    """Raise if a study can't be kept at an address; called before long work starts."""
    check_installed()
    with storage_errors(address):
        open_storage(storage_file(address))


def storage_file(address: str) -> Path:
    """The file of ``sqlite:///FILE``; its folder is created."""
    name = address.removeprefix(SQLITE)
    if not address.startswith(SQLITE) or name in ("", ":memory:"):
        raise SettingsError(
            "A study is kept in a SQLite file, so that it can be continued.",
            where="--storage",
            hint="Write, for example, sqlite:///tune.db.",
        )
    try:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"The folder can't be created: {error.strerror or error}.",
            where=address,
            hint="Choose another place.",
        ) from error
    return Path(name)


def open_storage(file: Path) -> RDBStorage:
    """The storage in a file, created if there is none."""
    import optuna
    from sqlalchemy.pool import NullPool

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)  # it logs every interrupt
    # No connection is kept, for a forked process must not share one.
    options = {"connect_args": {"timeout": SQLITE_TIMEOUT}, "poolclass": NullPool}
    return optuna.storages.RDBStorage(f"{SQLITE}{file}", engine_kwargs=options)


@contextmanager
def storage_errors(address: str) -> Iterator[None]:
    """Turn errors of the storage into SettingsError."""
    from optuna.exceptions import StorageInternalError
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, StorageInternalError) as error:
        cause = error.__cause__ if isinstance(error, StorageInternalError) else error
        reason = " ".join(str(getattr(cause, "orig", None) or cause).split()).rstrip(".?")
        raise SettingsError(
            f"The storage can't be used: {reason}.", where=address, hint="Can the file be written?"
        ) from error
    except RuntimeError as error:
        if "table schema" not in str(error):
            raise
        raise SettingsError(f"{error}", where=address, hint="Or choose another --storage.") from error


@contextmanager
def _only_user(file: Path) -> Iterator[None]:
    """A lock on the storage: trials that it calls running are those of a command that was killed."""
    lock = FileLock(file.with_name(f"{file.name}.lock"))
    if not lock.take():
        raise InputError(
            "Another command is tuning with this storage.",
            where=str(file),
            hint="Wait for it, or choose another --storage. More processes for one study: --jobs",
        )
    try:
        yield
    finally:
        lock.give_up()


def _run_trials(work: _TrialWork, wanted: int, jobs: int, report: ReportProgress) -> list[TrialRecord]:
    """Run trials until ``wanted`` are finished, and return all of the study."""
    from optuna.trial import TrialState

    study = work.open_study()
    _queue_trials(study, work.problem.space)

    def show() -> int:
        records = _records(study)
        best = rank_trials(records)
        finished = sum(record.state in (COMPLETE, PRUNED) for record in records)
        report(StudyProgress(finished, wanted, best[0].score if best else None))
        return finished

    tasks = _new_trials(study, work.problem, wanted - show())
    for task, value in _outcomes(work, tasks, jobs, report):
        study.tell(int(task.key), value, state=TrialState.PRUNED if value is None else None)
        show()
    return _records(study)


def _outcomes(
    work: _TrialWork, tasks: Iterator[Task], jobs: int, report: ReportProgress
) -> Iterator[tuple[Task, float | None]]:
    """Each task with the value of its trial, in the order in which they finish."""
    if jobs == 1:
        yield from ((task, work(task.given)) for task in tasks)
        return
    with LocalEngine(jobs).session(work, notice=lambda text: report(StudyProgress(note=text))) as session:
        for outcome in outcomes_of(session, tasks, ahead=1):
            if outcome.died:
                raise InputError(
                    f"One worker after the other ended, the last ones {outcome.died}.",
                    hint="Is there enough memory? Try fewer --jobs. Finished trials are in the storage.",
                )
            yield outcome.task, outcome.result


def _queue_trials(study: optuna.Study, space: Space) -> None:
    """Queue trials that were cut short and not repeated yet, and the space's first one."""
    from optuna.trial import TrialState

    trials = study.get_trials(deepcopy=False)
    repeated = {trial.user_attrs.get(REPEATS) for trial in trials}
    for trial in trials:
        if trial.state is TrialState.RUNNING:
            study.tell(trial.number, state=TrialState.FAIL)
        if trial.state in (TrialState.RUNNING, TrialState.FAIL) and trial.number not in repeated:
            study.enqueue_trial(trial.params, user_attrs={REPEATS: trial.number})
    if space.first:
        study.enqueue_trial(dict(space.first), skip_if_exists=True)


def _new_trials(study: optuna.Study, problem: Problem, count: int) -> Iterator[Task]:
    """Sample trials, each when it is asked for. A task has the id of its trial.

    The sampler (multivariate TPE; Bergstra et al., 2011) is seeded by the number of trials so far: a study
    that was interrupted samples the same points as one that was not.
    """
    from optuna.exceptions import ExperimentalWarning
    from optuna.samplers import TPESampler

    dimensions = problem.space.dimensions
    distributions = {one.name: one.distribution() for one in dimensions}
    for _ in range(count):
        seed = problem.configuration.training.seed * 1_000_003 + len(study.get_trials(deepcopy=False))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)
            study.sampler = TPESampler(
                seed=seed % 2**32, n_startup_trials=RANDOM_FIRST, multivariate=True, constant_liar=True
            )
        trial = study.ask(distributions)
        trial.set_user_attr(VALUES, {one.name: one.value(trial.params[one.name]) for one in dimensions})
        yield Task(f"{trial.number}", trial._trial_id)


def _open_study(file: Path, name: str, *, pruning: bool) -> optuna.Study:
    """The study of a name, created if there is none."""
    import optuna

    pruner = optuna.pruners.PercentilePruner(
        KEPT_PERCENTILE, n_startup_trials=PRUNE_AFTER_TRIALS, n_warmup_steps=PRUNE_AFTER_PASSES
    )
    return optuna.create_study(
        storage=open_storage(file),
        study_name=name,
        direction="maximize",
        load_if_exists=True,
        pruner=pruner if pruning else optuna.pruners.NopPruner(),
    )


@dataclass
class _TrialWork:
    """Runs one trial at a time, in this process or in a worker."""

    problem: Problem
    open_study: Callable[[], optuna.Study]
    preparations: Preparations = field(default_factory=Preparations)

    @cached_property
    def study(self) -> optuna.Study:
        """Opened by each process for itself."""
        return self.open_study()

    def __call__(self, trial_id: int) -> float | None:
        """Train with every seed: the mean development score, accuracy or F1; None if the trial is pruned."""
        import optuna

        trial, problem = optuna.Trial(self.study, trial_id), self.problem
        configuration = problem.with_values(trial.user_attrs[VALUES])
        scores: list[float] = []
        losses: list[float | None] = []
        for place, seed in enumerate(problem.seeds, start=1):
            try:
                best = train_model(
                    problem.corpus,
                    problem.parts,
                    configuration.changed({"training.seed": seed}),
                    preparations=self.preparations,
                    progress=_report_passes(trial) if place == 1 else lambda epoch: None,
                ).history.best
            except optuna.TrialPruned:
                return None
            scores.append(best.score if best else 0.0)
            finite = best is not None and math.isfinite(best.development_loss)
            losses.append(best.development_loss if best and finite else None)
            trial.set_user_attr(SCORES, scores)
            trial.set_user_attr(LOSSES, losses)
            # A step after those of the passes, and after the first ones, in which no trial is pruned.
            trial.report(fmean(scores), max(configuration.training.epochs, PRUNE_AFTER_PASSES) + place)
            if place < len(problem.seeds) and trial.should_prune():
                return None
        return fmean(scores)


def _report_passes(trial: optuna.Trial) -> Callable[[Epoch], None]:
    """Report the best score so far after each pass of the first seed; stop a trial that is to be pruned."""
    import optuna

    best, passes = 0.0, 0

    def progress(epoch: Epoch) -> None:
        nonlocal best, passes
        if epoch.number <= passes:  # a further member of an ensemble begins
            return
        best, passes = max(best, epoch.score), epoch.number
        trial.report(best, epoch.number)
        if trial.should_prune():
            raise optuna.TrialPruned

    return progress


def _records(study: optuna.Study) -> list[TrialRecord]:
    """All trials, in their order."""
    found = []
    for trial in study.get_trials(deepcopy=False):
        losses = trial.user_attrs.get(LOSSES, [])
        found.append(
            TrialRecord(
                number=trial.number,
                state=trial.state.name.lower(),
                values=trial.user_attrs.get(VALUES, {}),
                score=trial.value,
                by_seed=tuple(trial.user_attrs.get(SCORES, ())),
                loss=fmean(losses) if losses and None not in losses else None,
                seconds=round(trial.duration.total_seconds(), 2) if trial.duration else None,
            )
        )
    return found
