"""A corpus and a space -> the settings that did best on the development relations."""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from disco2.data import Corpus
from disco2.engines import Engine
from disco2.errors import InputError, MissingExtraError, SettingsError
from disco2.experiments.configuration import Configuration
from disco2.experiments.tuning.question import pose
from disco2.experiments.tuning.space import Space
from disco2.experiments.tuning.standing import Report
from disco2.experiments.tuning.trials import COMPLETE, PRUNED, TrialRecord, ranked


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
    score_name: str  # accuracy, or f1 where one class is told from the rest
    trials: tuple[TrialRecord, ...]

    @cached_property
    def ranking(self) -> list[TrialRecord]:
        """The complete trials, best first."""
        return ranked(self.trials)

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
    report: Report = lambda standing: None,
) -> Tuned:
    """Go on with the study of this question in the storage until so many trials are finished.

    The value of a trial is the mean score over ``seeds`` trainings on the development relations (see
    ``pose``): accuracy, or F1 where one class is told from the rest. The test part is never touched. Pruned
    trials count as finished; ``trials=0`` is the space's usual number. The ``engine``'s workers do them, or
    this process alone where there is none; they must see the storage under the same address. After
    ``timeout`` seconds no trial is begun. The study's name follows from corpus, settings, space, seeds and
    development relations, so that different questions don't mix in one storage.
    """
    _check_installed()
    if trials < 0:
        raise SettingsError(f"trials is {trials}; it must be at least 0.")
    from disco2.experiments.tuning.study import Address, TuningStudy
    from disco2.experiments.tuning.workers import Limits, work_alone, work_together

    wanted = trials or space.trials
    if space.exhaustive:
        wanted = min(wanted, len(space.points))
    limits = Limits(wanted, None if timeout is None else time.monotonic() + timeout)
    question = pose(corpus, configuration, space, seeds=seeds, development=development)
    opened = TuningStudy(Address(storage, study or question.name, pruning), question)
    try:
        opened.queue_points(wanted)
        if engine is None:
            work_alone(opened, question, limits, report=report)
        else:
            work_together(opened, question, limits, engine=engine, report=report)
        records = tuple(opened.records())
    finally:
        opened.close()
    best = ranked(records)
    if not best:
        raise InputError(
            f"No trial of the study '{opened.address.name}' is complete.",
            hint="Give it more time: a longer --timeout, or the same command again.",
        )
    return Tuned(
        configuration=question.with_values(best[0].values),
        space=space,
        study=opened.address.name,
        corpus=corpus.name,
        protocol=question.parts.protocol,
        development=question.development,
        seeds=question.seeds,
        score_name=question.parts.score_name,
        trials=records,
    )


def check_storage(address: str) -> None:
    """Raise where a study can't be kept at an address; asked before long work starts."""
    _check_installed()
    from disco2.experiments.tuning.storage import open_storage

    open_storage(address).engine.dispose()


def _check_installed() -> None:
    if importlib.util.find_spec("optuna") is None:
        raise MissingExtraError("optuna", "tune", "Tuning")
