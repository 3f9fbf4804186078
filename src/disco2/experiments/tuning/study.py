"""A study in its storage: opened or begun, asked for trials, put right where a process has died."""

from __future__ import annotations

import logging
import time
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, TrialState

from disco2.errors import SettingsError
from disco2.experiments.tuning import storage as storages
from disco2.experiments.tuning.interrupts import held_back
from disco2.experiments.tuning.objective import BEGAN, LOSSES, SCORES, VALUES, Objective
from disco2.experiments.tuning.pruner import PrunerBySteps
from disco2.experiments.tuning.question import Question
from disco2.experiments.tuning.sampler import SamplerByTrial
from disco2.experiments.tuning.trials import TrialRecord

QUESTION = "question"  # what a study notes about itself
POINT, ATTEMPT = "point", "attempt"  # and a trial that waits
TASK = "task"  # and one that a worker is on: the task that it is for, and the process
ATTEMPTS = 3  # a trial whose process dies so often is left alone

FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)


@dataclass(frozen=True)
class Address:
    """Where a study is and how it is worked on: what a new process needs to open it."""

    storage: str
    name: str
    pruning: bool = True


class TuningStudy:
    """A study of one question. Everything it knows is in the storage."""

    def __init__(self, address: Address, question: Question, *, must_exist: bool = False) -> None:
        """Open the study, or begin it; SettingsError where it is there and asks something else.

        A worker that another process told of it (``must_exist``) begins none: it would be alone with it.
        """
        if must_exist:
            storages.check_there(address.storage)
        self.address = address
        self._question = question
        self._unheard: dict[int, float] = {}
        optuna.logging.set_verbosity(optuna.logging.ERROR)  # what is worth saying, we say
        logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)  # it tells of every interrupt
        pruner = PrunerBySteps(question.configuration.training.epochs)
        with self._reported():
            self._storage = storages.open_storage(address.storage, when_dead=_when_dead)
            if must_exist and address.name not in optuna.get_all_study_names(self._storage):
                raise storages.not_seen(address.storage)
            self._study = optuna.create_study(
                storage=self._storage,
                study_name=address.name,
                direction="maximize",
                load_if_exists=True,
                sampler=SamplerByTrial(question.configuration.training.seed),
                pruner=pruner if address.pruning else optuna.pruners.NopPruner(),
            )
            self._check_question()

    def queue_points(self, most: int) -> None:
        """Let the space's own points wait to be tried, up to so many, unless they are there already."""
        points = self._question.space.points[:most]
        with self._reported():
            known = [
                trial.user_attrs.get(POINT)
                for trial in self._study.get_trials(deepcopy=False)
                if trial.state is not TrialState.FAIL
            ]
            for point in points:
                if dict(point) not in known:
                    self._study.enqueue_trial(dict(point), user_attrs={POINT: dict(point)})

    def run_one(self, objective: Objective) -> None:
        """Do a trial that waits, or a new one.

        A trial that others took for dead meanwhile, as after a computer's sleep, counts for nothing.
        """

        def unless_done(trial: optuna.Trial) -> float:
            if self._has_twin(trial):
                raise _TwinError
            return objective(trial)

        with storages.reported(self.address.storage):
            try:
                self._study.optimize(unless_done, n_trials=1, catch=(_TwinError,))
            except ValueError as error:
                if "Cannot tell a FAIL trial" not in str(error):
                    raise

    def left(self, wanted: int) -> int:
        """How many trials are to be begun until so many will be finished."""
        counts = self.counts()
        left = wanted - sum(counts[state] for state in FINISHED) - counts[TrialState.RUNNING]
        return min(left, counts[TrialState.WAITING]) if self._question.space.exhaustive else left

    def counts(self) -> Counter[TrialState]:
        with self._reported():
            return Counter(trial.state for trial in self._study.get_trials(deepcopy=False))

    def running(self) -> int:
        """How many trials some process is on."""
        return self.counts()[TrialState.RUNNING]

    def put_right(self) -> None:
        """Queue trials again whose processes have died: they have given no sign of life for too long."""
        with self._reported(), warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            optuna.storages.fail_stale_trials(self._study)
        now = time.monotonic()
        self._unheard = {number: self._unheard.get(number, now) for number in self.unheard()}
        for number, since in self._unheard.items():
            if now - since > storages.SILENCE:
                self.lose(number)

    def unheard(self) -> list[int]:
        """Running trials whose process has not said anything yet.

        They are so for a few milliseconds. Where a process dies in these, Optuna would wait for ever.
        """
        with self._reported():
            running = self._study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
        return [trial.number for trial in running if BEGAN not in trial.user_attrs]

    def of_tasks(self, tasks: Collection[str]) -> dict[int, tuple[str, int]]:
        """The running trials that some tasks have become, with their task and the id of their process."""
        with self._reported():
            running = self._study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
        marks = {trial.number: trial.user_attrs.get(TASK, ("", 0)) for trial in running}
        return {number: (task, process) for number, (task, process) in marks.items() if task in tasks}

    def lose(self, number: int, *, blame: bool = True) -> bool:
        """Queue a trial again whose process is gone, and tell whether it waits now.

        It does not if that was its last attempt; without ``blame`` it does not count as one.
        """
        with self._reported():
            trial = self._study.get_trials(deepcopy=False)[number]
            if trial.state is TrialState.RUNNING:
                try:
                    self._study.tell(number, state=TrialState.FAIL, skip_if_finished=True)
                except UpdateFinishedTrialError:  # its process was not gone, and finished it just now
                    return False
            elif trial.state is not TrialState.FAIL:
                return False
            return queue_again(self._study, trial, blame=blame)

    def records(self) -> list[TrialRecord]:
        """All trials, in their order."""
        with self._reported():
            return [_record(trial) for trial in self._study.get_trials(deepcopy=False)]

    def close(self) -> None:
        """Let go of the connections; they are made anew when needed. A forked process must not share them."""
        self._storage.remove_session()
        self._storage.engine.dispose()

    def _check_question(self) -> None:
        facts = self._question.facts
        known = self._study.user_attrs.get(QUESTION)
        if known is None and not self._study.get_trials(deepcopy=False):
            self._study.set_user_attr(QUESTION, facts)
        elif known != facts:
            other = _difference(known, facts)
            raise SettingsError(
                f"The study '{self.address.name}' is there and asks something else: {other}.",
                where=storages.shown(self.address.storage),
                hint="Choose another --study, or leave it out: the name then follows from what is asked.",
            )

    def _has_twin(self, trial: optuna.Trial) -> bool:
        """Whether an earlier trial tries the same point: two commands that began at once both queue it."""
        point = trial.user_attrs.get(POINT)
        return point is not None and any(
            other.number < trial.number
            and other.state is not TrialState.FAIL
            and other.user_attrs.get(POINT) == point
            for other in self._study.get_trials(deepcopy=False)
        )

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """A short word with the storage."""
        with storages.reported(self.address.storage), held_back():
            yield


class _TwinError(Exception):
    """The trial is not needed."""


def queue_again(study: optuna.Study, trial: FrozenTrial, *, blame: bool = True) -> bool:
    """Let a failed trial wait to be tried once more, at the same point, unless it was tried too often."""
    attempt = trial.user_attrs.get(ATTEMPT, 1) + blame
    if attempt > ATTEMPTS:
        return False
    point = trial.user_attrs.get(POINT)
    notes = {ATTEMPT: attempt} | ({POINT: point} if point else {})
    study.enqueue_trial(point or trial.params, user_attrs=notes)
    return True


def _when_dead(study: optuna.Study, trial: FrozenTrial) -> None:
    queue_again(study, trial)


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
    """In what two questions differ, for people."""
    if not isinstance(known, Mapping):
        return "it is none of this program's"
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
        other = [name for name in other if name != "settings"]  # what is varied is not among them
    return f"it differs in {', '.join(other) or 'what this one does not know'}"
