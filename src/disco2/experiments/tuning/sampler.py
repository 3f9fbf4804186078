"""Which point a trial tries next."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.exceptions import ExperimentalWarning
from optuna.samplers import BaseSampler, TPESampler
from optuna.trial import FrozenTrial, TrialState

RANDOM_FIRST = 10  # trials before there is something to learn from


class SamplerByTrial(BaseSampler):
    """Optuna's TPE sampler (Bergstra et al., 2011; multivariate), seeded anew by the number of each trial.

    A sampler with one seed would begin at the same points in every process and after every interruption.
    This one never repeats itself, whoever runs a trial, and in a single process a study that was interrupted
    goes on as if it had not been.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._of_trial = self._seeded(0)

    def _seeded(self, number: int) -> TPESampler:
        seed = (self._seed * 1_000_003 + number) % 2**32
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)  # as Optuna 4 has it
            return TPESampler(seed=seed, n_startup_trials=RANDOM_FIRST, multivariate=True, constant_liar=True)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        self._of_trial = self._seeded(trial.number)
        self._of_trial.before_trial(study, trial)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        return self._of_trial.infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        return self._of_trial.sample_relative(study, trial, search_space)

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        return self._of_trial.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        self._of_trial.after_trial(study, trial, state, values)
