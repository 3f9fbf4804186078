"""Which trials are not worth finishing."""

from __future__ import annotations

import numpy as np
import optuna
from optuna.pruners import BasePruner
from optuna.trial import FrozenTrial, TrialState

TRIALS_FIRST = 5  # finished ones, before any is given up
PASSES_FIRST = 5  # of the first seed, before a trial can be judged
LOWER_QUARTER, MEDIAN = 0.25, 0.5


class PrunerBySteps(BasePruner):
    """Compares a trial with all finished ones at the same step.

    Steps 1 to ``passes`` are those of the first seed, and step ``passes`` + k stands for the end of the k-th
    seed. While the first seed is trained, only the worst quarter is given up: slow learners may catch up. At
    the end of a seed it is the worse half.
    """

    def __init__(self, passes: int) -> None:
        self._passes = passes

    def prune(self, study: optuna.Study, trial: FrozenTrial) -> bool:
        step = trial.last_step
        if step is None or step < min(PASSES_FIRST, self._passes + 1):
            return False
        finished = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))
        others = [one.intermediate_values[step] for one in finished if step in one.intermediate_values]
        if len(others) < TRIALS_FIRST:
            return False
        share = LOWER_QUARTER if step <= self._passes else MEDIAN
        return bool(trial.intermediate_values[step] < np.quantile(others, share))
