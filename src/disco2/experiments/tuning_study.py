"""A study of Optuna in its storage, and the trials that this process or an engine's workers run.

Heartbeats and retries are Optuna's: a trial whose process dies is tried again by the next one that asks.
"""

from __future__ import annotations

import itertools
import logging
import math
import platform
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import optuna
import sqlalchemy
from optuna.exceptions import ExperimentalWarning, StorageInternalError
from optuna.pruners import BasePruner, NopPruner
from optuna.samplers import TPESampler
from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback, fail_stale_trials
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from disco2.engines import Engine, Task, outcomes_of
from disco2.errors import InputError, MissingExtraError, SettingsError
from disco2.experiments.runs import working_in
from disco2.experiments.train_run import Preparations, train_model
from disco2.experiments.tuning import (
    COMPLETE,
    PRUNED,
    Problem,
    ReportProgress,
    StudyProgress,
    TrialRecord,
    rank_trials,
)
from disco2.training.loop import Epoch

HEARTBEAT = 5  # seconds between heartbeats of a trial
SILENCE = 30  # seconds without one, after which its process counts as dead
RETRIES = 2  # of a trial whose process died
SQLITE_TIMEOUT = 60  # seconds to wait while other processes use a SQLite file
PAUSE = 1.0  # seconds between looks at trials of other processes
EXAMPLES = "Write, for example, sqlite:///tune.db or postgresql://user@host/database."

# Attributes of the study and of its trials.
PROBLEM, VALUES, SCORES, LOSSES = "question", "values", "scores by seed", "losses by seed"
FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)

RANDOM_FIRST = 10  # trials before the sampler learns from them
PRUNE_AFTER_TRIALS = 5  # finished ones, before any is pruned
PRUNE_AFTER_PASSES = 5  # of the first seed


@dataclass(frozen=True)
class Address:
    """Where a study is and whether trials are pruned: what a worker needs to open it."""

    storage: str
    name: str
    pruning: bool = True


def run_trials(
    address: Address,
    problem: Problem,
    wanted: int,
    *,
    deadline: float | None = None,
    engine: Engine | None = None,
    report: ReportProgress = lambda progress: None,
) -> list[TrialRecord]:
    """Run trials until ``wanted`` are finished, and return all of the study.

    An error of a trial stops the work, and so does an interrupt. Finished trials stay in the storage.
    """
    study = TuningStudy(address, problem)
    study.queue(wanted)

    def show() -> None:
        records = study.records()
        study.close()  # forked workers must not share connections
        best = rank_trials(records)
        finished = sum(record.state in (COMPLETE, PRUNED) for record in records)
        report(StudyProgress(finished, wanted, best[0].score if best else None))

    def in_time() -> bool:
        return deadline is None or time.monotonic() < deadline

    try:
        show()
        if engine is None:
            while in_time() and study.left(wanted):
                study.run_one()
                show()
        else:
            _run_in_workers(study, wanted, engine, in_time=in_time, show=show, report=report)
        return study.records()
    finally:
        study.close()


def _run_in_workers(
    study: TuningStudy,
    wanted: int,
    engine: Engine,
    *,
    in_time: Callable[[], bool],
    show: Callable[[], None],
    report: ReportProgress,
) -> None:
    numbers = itertools.count(1)
    notice = lambda text: report(StudyProgress(note=text))  # noqa: E731
    with engine.session(_TrialWork(study.address, study.problem), notice=notice) as session:
        while in_time() and (left := study.left(wanted)):
            study.close()
            tasks = (
                Task(f"{next(numbers)}", None) for _ in itertools.takewhile(lambda _: in_time(), range(left))
            )
            for outcome in outcomes_of(session, tasks, ahead=1):
                if outcome.error is not None:
                    raise outcome.error
                if outcome.died:
                    raise InputError(
                        f"One worker after the other ended, the last ones {outcome.died}.",
                        hint="Is there enough memory? Try fewer --jobs. Finished trials are in the storage.",
                    )
                show()


class _TrialWork:
    """The work of an engine's workers: one trial for each task."""

    def __init__(self, address: Address, problem: Problem) -> None:
        self._address = replace(address, storage=_absolute(address.storage))
        self._problem = problem
        self._folder = Path.cwd()

    def begin(self) -> None:
        self._study = TuningStudy(self._address, self._problem, must_exist=True)

    def __call__(self, given: None) -> None:
        with working_in(self._folder):
            self._study.run_one()

    def end(self) -> None:
        self._study.close()


class TuningStudy:
    """The study of one problem. All its state is in the storage."""

    def __init__(self, address: Address, problem: Problem, *, must_exist: bool = False) -> None:
        """Open the study, or create it; SettingsError if a study of that name has another problem.

        A worker does not create it (``must_exist``): it would be alone with it.
        """
        self.address, self.problem = address, problem
        self._preparations = Preparations()
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)  # it logs every interrupt
        file = _file(_url(address.storage), address.storage)
        if must_exist and file is not None and not file.exists():
            raise _not_visible(address.storage)
        with _storage_errors(address.storage):
            self._storage = open_storage(address.storage)
            if must_exist and address.name not in optuna.get_all_study_names(self._storage):
                raise _not_visible(address.storage)
            training = problem.configuration.training
            self._study = optuna.create_study(
                storage=self._storage,
                study_name=address.name,
                direction="maximize",
                load_if_exists=True,
                sampler=SeededSampler(training.seed),
                pruner=QuantilePruner(training.epochs) if address.pruning else NopPruner(),
            )
            self._check_problem()

    def queue(self, wanted: int) -> None:
        """Queue the space's own points, up to ``wanted``, and failed trials that were not retried yet."""
        with _storage_errors(self.address.storage):
            trials = self._trials()
            retried = {number for trial in trials for number in trial.system_attrs.get("retry_history", ())}
            for trial in trials:
                if trial.state is TrialState.FAIL and trial.number not in retried:
                    RETRY(self._study, trial)
            for point in self.problem.space.points[:wanted]:
                self._study.enqueue_trial(dict(point), skip_if_exists=True)

    def run_one(self) -> None:
        """Run a queued trial, or a new one."""
        if self.problem.space.exhaustive and not self._counts()[TrialState.WAITING]:
            return
        with _storage_errors(self.address.storage):
            try:
                self._study.optimize(self._evaluate, n_trials=1)
            except ValueError as error:  # another process took it for dead, as after a computer's sleep
                if "Cannot tell a FAIL trial" not in str(error):
                    raise

    def left(self, wanted: int) -> int:
        """How many trials to start. In an exhausted grid, wait for those of other processes first."""
        for _ in range(int(2 * SILENCE / PAUSE)):
            counts = self._counts()
            left = max(0, wanted - sum(counts[state] for state in FINISHED))
            if not self.problem.space.exhaustive:
                return left
            left = min(left, counts[TrialState.WAITING])
            if left or not counts[TrialState.RUNNING]:
                return left
            time.sleep(PAUSE)
            with _storage_errors(self.address.storage), _without_warnings():
                fail_stale_trials(self._study)
        return 0

    def records(self) -> list[TrialRecord]:
        """All trials, in their order."""
        with _storage_errors(self.address.storage):
            return [_record(trial) for trial in self._trials()]

    def close(self) -> None:
        """Close the connections; they are opened again when needed."""
        self._storage.remove_session()
        self._storage.engine.dispose()

    def _trials(self) -> list[FrozenTrial]:
        return self._study.get_trials(deepcopy=False)

    def _counts(self) -> Counter[TrialState]:
        with _storage_errors(self.address.storage):
            return Counter(trial.state for trial in self._trials())

    def _evaluate(self, trial: optuna.Trial) -> float:
        """The mean development score over the seeds, accuracy or F1."""
        problem = self.problem
        values = {dimension.name: dimension.suggest(trial) for dimension in problem.space.dimensions}
        trial.set_user_attr(VALUES, values)
        configuration = problem.with_values(values)
        scores: list[float] = []
        losses: list[float | None] = []
        for place, seed in enumerate(problem.seeds, start=1):
            best = train_model(
                problem.corpus,
                problem.parts,
                configuration.changed({"training.seed": seed}),
                preparations=self._preparations,
                progress=_report_passes(trial) if place == 1 else lambda epoch: None,
            ).history.best
            scores.append(best.score if best else 0.0)
            finite = best is not None and math.isfinite(best.development_loss)
            losses.append(best.development_loss if best and finite else None)
            trial.set_user_attr(SCORES, scores)
            trial.set_user_attr(LOSSES, losses)
            trial.report(fmean(scores), configuration.training.epochs + place)
            if place < len(problem.seeds) and trial.should_prune():
                raise optuna.TrialPruned
        return fmean(scores)

    def _check_problem(self) -> None:
        facts, known = self.problem.facts, self._study.user_attrs.get(PROBLEM)
        if known is None and not self._trials():
            self._study.set_user_attr(PROBLEM, facts)
        elif known != facts:
            raise SettingsError(
                f"The study '{self.address.name}' exists with another problem: {_difference(known, facts)}.",
                where=_shown(self.address.storage),
                hint="Choose another --study, or leave it out: the name then follows from the problem.",
            )


def _report_passes(trial: optuna.Trial) -> Callable[[Epoch], None]:
    """Report the best score so far after each pass of the first seed; stop a trial that is to be pruned."""
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


def _record(trial: FrozenTrial) -> TrialRecord:
    losses = trial.user_attrs.get(LOSSES, [])
    known = [loss for loss in losses if loss is not None]
    return TrialRecord(
        number=trial.number,
        state=trial.state.name.lower(),
        values=trial.user_attrs.get(VALUES, {}),
        score=trial.value,
        by_seed=tuple(trial.user_attrs.get(SCORES, ())),
        loss=sum(known) / len(known) if known and len(known) == len(losses) else None,
        seconds=round(trial.duration.total_seconds(), 2) if trial.duration else None,
    )


def _difference(known: Any, facts: Mapping[str, Any]) -> str:
    """How two problems differ, in words."""
    if not isinstance(known, Mapping):
        return "it was not made by disco2 tune"
    other = [name for name in facts if known.get(name) != facts[name]]
    if other == ["settings"]:
        before, now = known["settings"], facts["settings"]
        other = [
            f"{section}.{name}"
            for section in now
            for name in now[section]
            if before.get(section, {}).get(name) != now[section][name]
        ]
    elif "space" in other:
        other = [name for name in other if name != "settings"]  # varied settings are not among them
    return f"it differs in {', '.join(other) or 'facts that this version does not know'}"


@contextmanager
def _without_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)  # heartbeats and multivariate TPE
        yield


with _without_warnings():
    RETRY = RetryHeartbeatStaleTrialCallback(max_retry=RETRIES)


class SeededSampler(TPESampler):
    """Optuna's TPE sampler (Bergstra et al., 2011; multivariate), seeded by the number of each trial.

    So no two processes sample the same points, and a single process that was interrupted samples the same
    points as one that was not.
    """

    def __init__(self, seed: int, number: int = 0) -> None:
        self._first_seed = seed
        with _without_warnings():
            super().__init__(
                seed=(seed * 1_000_003 + number) % 2**32,
                n_startup_trials=RANDOM_FIRST,
                multivariate=True,
                constant_liar=True,
            )

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        self.__dict__ = SeededSampler(self._first_seed, trial.number).__dict__
        super().before_trial(study, trial)


class QuantilePruner(BasePruner):
    """Compares a trial with all finished ones at the same step.

    Steps 1 to ``passes`` are the passes of the first seed; step ``passes`` + k is the end of the k-th seed.
    During the first seed the worst quarter is pruned, since slow learners may catch up; at the end of a seed
    the worse half. (Optuna's PercentilePruner has one share for all steps and ignores pruned trials.)
    """

    def __init__(self, passes: int) -> None:
        self._passes = passes

    def prune(self, study: optuna.Study, trial: FrozenTrial) -> bool:
        step = trial.last_step
        if step is None or step < min(PRUNE_AFTER_PASSES, self._passes + 1):
            return False
        finished = study.get_trials(deepcopy=False, states=FINISHED)
        others = [one.intermediate_values[step] for one in finished if step in one.intermediate_values]
        if len(others) < PRUNE_AFTER_TRIALS:
            return False
        share = 0.25 if step <= self._passes else 0.5
        return bool(trial.intermediate_values[step] < np.quantile(others, share))


def open_storage(address: str) -> RDBStorage:
    """The storage at an address, created if there is none."""
    url = _url(address)
    file = _file(url, address)
    options: dict[str, Any] = {"pool_pre_ping": True}
    if file is not None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"The folder can't be created: {error.strerror or error}.",
                where=address,
                hint="Choose another place.",
            ) from error
        options["connect_args"] = {"timeout": SQLITE_TIMEOUT, "isolation_level": None}
    elif url.get_backend_name() == "postgresql":
        options["connect_args"] = {"connect_timeout": 10}
    with _storage_errors(address), _without_warnings():
        storage = RDBStorage(
            url.render_as_string(hide_password=False),
            engine_kwargs=options,
            heartbeat_interval=HEARTBEAT,
            grace_period=SILENCE,
            heartbeat_stale_trial_callback=RETRY,
        )
    if file is not None:
        # By default SQLite does not lock rows that are read to be changed: two processes could take the same
        # trial. With a write-ahead log a commit does not wait for the disk.
        def connected(connection: Any, record: Any) -> None:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")

        sqlalchemy.event.listen(storage.engine, "connect", connected)
        sqlalchemy.event.listen(storage.engine, "begin", lambda one: one.exec_driver_sql("BEGIN IMMEDIATE"))
        storage.engine.dispose()  # connections so far were opened without these settings
    return storage


@contextmanager
def _storage_errors(address: str) -> Iterator[None]:
    """Turn errors of the storage into SettingsError."""
    try:
        yield
    except (SQLAlchemyError, StorageInternalError) as error:
        cause = error.__cause__ if isinstance(error, StorageInternalError) else error
        reason = " ".join(str(getattr(cause, "orig", None) or cause).split()).rstrip(".?")
        raise SettingsError(
            f"The storage can't be used: {reason}.",
            where=_shown(address),
            hint="Check the address, and that a server runs there or the file can be written.",
        ) from error
    except RuntimeError as error:
        if "table schema" not in str(error):
            raise
        raise SettingsError(f"{error}", where=_shown(address), hint="Or choose another --storage.") from error


def _shown(address: str) -> str:
    """An address without its password."""
    return re.sub(r"(://[^:/@]*):[^/]*@", r"\1:***@", address)


def _absolute(address: str) -> str:
    """The same address for a process in another working folder."""
    url = _url(address)
    file = _file(url, address)
    return address if file is None else url.set(database=str(file.absolute())).render_as_string()


def _not_visible(address: str) -> SettingsError:
    return SettingsError(
        f"A worker on {platform.node()} does not see the study there.",
        where=_shown(address),
        hint="A SQLite file is for workers on one machine. For several: --storage postgresql://USER@HOST/DATABASE",
    )


def _url(address: str) -> URL:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise SettingsError("Not the address of a storage.", where=_shown(address), hint=EXAMPLES) from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")  # the driver in the extra
    try:
        url.get_dialect().import_dbapi()
    except ModuleNotFoundError as error:
        if error.name == "psycopg":
            raise MissingExtraError("psycopg", "postgresql", "A study on a PostgreSQL server") from None
        raise SettingsError(
            f"This kind of storage needs the package '{error.name}', which is not installed.",
            where=_shown(address),
            hint=f"Install it, or use another kind. {EXAMPLES}",
        ) from None
    except ArgumentError:
        raise SettingsError(
            f"Unknown kind of storage '{url.drivername}'.", where=_shown(address), hint=EXAMPLES
        ) from None
    return url


def _file(url: URL, address: str) -> Path | None:
    """The file of a SQLite storage; None for a server."""
    if url.get_backend_name() != "sqlite":
        return None
    name = url.database or ""
    if name in ("", ":memory:") or name.startswith("file:"):
        raise SettingsError(
            "A study is kept in a file, so that it can be continued and shared.", where=address, hint=EXAMPLES
        )
    return Path(name)
