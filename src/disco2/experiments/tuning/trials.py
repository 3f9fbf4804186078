"""Trials as they are shown and chosen from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

COMPLETE, PRUNED = "complete", "pruned"


@dataclass(frozen=True)
class TrialRecord:
    """One trial: the values it tried, the mean score over its seeds and the mean loss at the kept passes.

    A pruned trial has what it had when it was given up.
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


def ranked(trials: Iterable[TrialRecord]) -> list[TrialRecord]:
    """The complete ones, best first: by score; of equal ones by loss, then the earlier one."""

    def key(trial: TrialRecord) -> tuple[float, float, int]:
        score = float("-inf") if trial.score is None else trial.score
        loss = float("inf") if trial.loss is None else trial.loss
        return -score, loss, trial.number

    return sorted((trial for trial in trials if trial.state == COMPLETE), key=key)
