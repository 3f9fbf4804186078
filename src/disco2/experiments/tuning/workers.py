"""Who does the trials: this process alone, or the workers of an engine, a task for each trial."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import optuna

from disco2.engines import Engine, Outcome, Task
from disco2.errors import Disco2Error, InputError
from disco2.experiments.runs import working_in
from disco2.experiments.tuning import storage as storages
from disco2.experiments.tuning.objective import Objective
from disco2.experiments.tuning.question import Question
from disco2.experiments.tuning.standing import Report, Standing
from disco2.experiments.tuning.study import TASK, Address, TuningStudy
from disco2.experiments.tuning.trials import COMPLETE, PRUNED, ranked

LOOK_AFTER = 2.0  # seconds after which to look for what other processes have done


@dataclass(frozen=True)
class Limits:
    """When to stop: so many finished trials, or, where given, no new one after a point in time."""

    trials: int
    deadline: float | None = None  # by time.monotonic

    @property
    def too_late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline


def work_alone(study: TuningStudy, question: Question, limits: Limits, *, report: Report) -> None:
    """Do the trials one after the other; wait for those that other processes are on."""
    running: list[int] = []
    objective = Objective(question, began=lambda trial: running.append(trial.number))
    while not limits.too_late:
        study.put_right()
        if study.left(limits.trials) > 0:
            report(_standing(study, limits, {}))
            running.clear()
            try:
                study.run_one(objective)
            except KeyboardInterrupt:
                for number in running:
                    study.lose(number, blame=False)
                raise
        elif not _wait_for_others(study, limits, report=report):
            break
    report(_standing(study, limits, {}))


def work_together(
    study: TuningStudy, question: Question, limits: Limits, *, engine: Engine, report: Report
) -> None:
    """Let an engine's workers do the trials. Where one dies, its trial is done again.

    An error of a trial's own ends the work; so does an interrupt. What is finished is in the storage.
    """
    asked = _Asked(study, report)
    most = fruitless = 0
    try:
        with engine.session(
            _Trials(study.address, question),
            notice=lambda text: report(Standing(note=text)),
            died=asked.take_back_after_death,
        ) as session:
            while True:
                study.put_right()
                running = study.of_tasks(asked.waiting)
                promised = session.waiting - len({task for task, _ in running.values()})
                left = 0 if limits.too_late else study.left(limits.trials) - promised
                most = max(most, session.workers)
                free = max(1, session.workers) - session.waiting
                report(
                    _standing(study, limits, {number: process for number, (_, process) in running.items()})
                )
                study.close()  # before processes are started: forked ones must not share connections
                for _ in range(min(left, free)):
                    session.submit(asked.another())
                if session.waiting and (session.workers or not limits.too_late):
                    for outcome in session.outcomes(LOOK_AFTER):
                        asked.heard(outcome)
                        fruitless = fruitless + 1 if outcome.died else 0
                        if fruitless >= max(1, most):
                            raise _all_die(outcome.died)
                elif limits.too_late or not _wait_for_others(study, limits, report=report):
                    break
    except BaseException:
        with suppress(Disco2Error):  # the storage may be what went wrong
            asked.take_all_back()
        raise
    report(_standing(study, limits, {}))


class _Trials:
    """The work: does one trial for each task. The study was begun before, and everything else is in it."""

    def __init__(self, address: Address, question: Question) -> None:
        self._address = replace(address, storage=storages.absolute(address.storage))
        self._question = question
        self._here = Path.cwd()
        self._task = ""

    def begin(self) -> None:
        self._study = TuningStudy(self._address, self._question, must_exist=True)
        self._objective = Objective(self._question, began=self._mark)

    def __call__(self, task: str) -> None:
        self._task = task
        with working_in(self._here):
            self._study.run_one(self._objective)

    def end(self) -> None:
        self._study.close()

    def _mark(self, trial: optuna.Trial) -> None:
        """Let the one who gave the task see which trial it has become, and who is on it."""
        trial.set_user_attr(TASK, [self._task, os.getpid()])


class _Asked:
    """The tasks that were given out, and the trials that they have become."""

    def __init__(self, study: TuningStudy, report: Report) -> None:
        self._study = study
        self._report = report
        self._name = uuid4().hex
        self._number = 0
        self.waiting: set[str] = set()

    def another(self) -> Task:
        self._number += 1
        given = f"{self._name} {self._number}"
        self.waiting.add(given)
        return Task(f"{self._number}", given)

    def heard(self, outcome: Outcome) -> None:
        """A task is over. An error of its trial is raised."""
        self.waiting.discard(outcome.task.given)
        if outcome.error is not None:
            raise outcome.error

    def take_back_after_death(self, task: Task, how: str) -> None:
        """Queue the trial again that a worker was on when it died.

        If it died before it said which one, it is among the unheard. Should one of these be another's, that
        other process notices at once and does the next one.
        """
        for number in self._study.of_tasks({task.given}) or self._study.unheard():
            again = self._study.lose(number)
            self._report(Standing(note=f"trial {number} is {'done again' if again else 'left alone'}"))
        self._study.close()  # the next worker may be forked now

    def take_all_back(self) -> None:
        """Queue again what the workers were on: they were ended, which is no fault of the trials."""
        running = self._study.of_tasks(self.waiting)
        unheard = self._study.unheard() if len(running) < len(self.waiting) else []
        for number in (*running, *unheard):
            self._study.lose(number, blame=False)


def _all_die(how: str) -> InputError:
    return InputError(
        f"One process after the other ends, the last ones {how}.",
        hint="Is there enough memory? Try fewer --jobs. What is finished is in the storage.",
    )


def _wait_for_others(study: TuningStudy, limits: Limits, *, report: Report) -> bool:
    """Whether there is something to wait for: trials that other processes are on, or that begin anew."""
    running = study.running()
    if running and study.left(limits.trials) <= 0:
        note = f"waiting for {running} trials of other processes"
        report(_standing(study, limits, {}, note=note))
        time.sleep(LOOK_AFTER / 4)
    return bool(running) or study.left(limits.trials) > 0


def _standing(study: TuningStudy, limits: Limits, running: Mapping[int, int], *, note: str = "") -> Standing:
    records = study.records()
    best = ranked(records)
    return Standing(
        finished=sum(record.state in (COMPLETE, PRUNED) for record in records),
        wanted=limits.trials,
        best=best[0].score if best else None,
        running=running,
        note=note,
    )
