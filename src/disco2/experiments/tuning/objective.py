"""One trial: train with each seed, judge on the development relations."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from statistics import fmean

import optuna

from disco2.experiments.train_run import train_model
from disco2.experiments.tuning.any_k import PreparationsForAnyK
from disco2.experiments.tuning.question import Question
from disco2.training.history import Epoch

# What a trial notes about itself in the study.
BEGAN, VALUES, SCORES, LOSSES = "began on", "values", "scores by seed", "losses by seed"


class Objective:
    """The value of a trial: the mean development score over the seeds, accuracy or F1."""

    def __init__(
        self, question: Question, *, began: Callable[[optuna.Trial], None] = lambda trial: None
    ) -> None:
        self._question = question
        self._began = began
        self._preparations = PreparationsForAnyK()

    def __call__(self, trial: optuna.Trial) -> float:
        self._began(trial)
        trial.set_user_attr(BEGAN, platform.node())
        values = {dimension.name: dimension.suggest(trial) for dimension in self._question.space.dimensions}
        trial.set_user_attr(VALUES, values)
        configuration = self._question.with_values(values)
        passes = configuration.training.epochs
        scores: list[float] = []
        losses: list[float] = []
        for place, seed in enumerate(self._question.seeds, start=1):
            fitted = train_model(
                self._question.corpus,
                self._question.parts,
                configuration.changed({"training.seed": seed}),
                preparations=self._preparations,
                progress=_FirstSeed(trial) if place == 1 else _hear_nothing,
            )
            best = fitted.history.best
            scores.append(best.score if best else 0.0)
            losses.append(best.development_loss if best else math.inf)
            trial.set_user_attr(SCORES, scores)
            trial.set_user_attr(LOSSES, [loss if math.isfinite(loss) else None for loss in losses])
            trial.report(fmean(scores), passes + place)
            if place < len(self._question.seeds) and trial.should_prune():
                raise optuna.TrialPruned
        return fmean(scores)


class _FirstSeed:
    """Reports the best score so far after each pass, and gives up where that is too little."""

    def __init__(self, trial: optuna.Trial) -> None:
        self._trial = trial
        self._best = 0.0
        self._passes = 0

    def __call__(self, epoch: Epoch) -> None:
        if epoch.number <= self._passes:  # a further member of an ensemble begins
            return
        self._passes = epoch.number
        self._best = max(self._best, epoch.score)
        self._trial.report(self._best, epoch.number)
        if self._trial.should_prune():
            raise optuna.TrialPruned


def _hear_nothing(epoch: Epoch) -> None:
    pass
