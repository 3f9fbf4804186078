"""Right answers of several seeds -> measures, and whether one system is better than another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.errors import InputError
from disco2.evaluation import bootstrap_interval, mcnemar, paired_bootstrap, sign_test
from disco2.experiments.runs.result import Answers, Right
from disco2.reporting.findings import Cell, Difference, Measure, PValue

# One seed for all bootstraps: their luck is not to be confused with the models'.
BOOTSTRAP_SEED = 1


def stacked(answers: Iterable[Answers]) -> Right:
    """[seeds, relations] which relations each seed got right; all must have answered the same ones."""
    found = list(answers)
    asked = [(one.documents, one.relations) for one in found]
    if any(one != asked[0] for one in asked):
        raise InputError("Runs that answered different relations can't be put together.")
    return np.array([one.right for one in found], dtype=bool).reshape(len(found), -1)


def measure(right: Right) -> Measure | None:
    """Mean accuracy over seeds, its standard deviation, and a 95% interval over relations.

    None where there are no relations, as in a dev part that a protocol does not have.
    """
    if right.shape[1] == 0:
        return None
    by_seed = right.mean(axis=1)
    return Measure(
        mean=float(by_seed.mean()),
        deviation=float(by_seed.std(ddof=1)) if len(by_seed) > 1 else None,
        interval=bootstrap_interval(right.mean(axis=0), seed=BOOTSTRAP_SEED),
        n=right.shape[1],
    )


@dataclass(frozen=True)
class Comparison:
    """First minus second, on the same relations, by three tests.

    The paired bootstrap compares, for each relation, the shares of seeds that get it right. The sign test
    (the paper's) counts for each relation which system has the larger share; McNemar's, which of the two gets
    it right with most of its seeds.
    """

    difference: float
    interval: tuple[float, float]
    p_bootstrap: float
    p_sign: float
    p_mcnemar: float
    wins: int
    losses: int
    n: int

    def cells(self) -> tuple[Cell, ...]:
        """Under ``COMPARISON_COLUMNS``."""
        return (
            self.n,
            Difference(self.difference, self.interval),
            PValue(self.p_bootstrap),
            f"{self.wins} : {self.losses}",
            PValue(self.p_sign),
            PValue(self.p_mcnemar),
        )


COMPARISON_COLUMNS = (
    "relations",
    "difference",
    "p, bootstrap",
    "better : worse",
    "p, sign test",
    "p, McNemar",
)


def compare_answers(
    first: Sequence[Answers], second: Sequence[Answers], *, chosen: Right | slice = slice(None)
) -> Comparison | None:
    """Two systems on the chosen relations, [relations]; InputError where they answered different ones."""
    right = stacked([*first, *second])[:, chosen]
    return compare(right[: len(first)], right[len(first) :])


def compare(first: Right, second: Right) -> Comparison | None:
    """Two systems on the same relations, each with one or several seeds; None without relations."""
    if first.shape[1] == 0:
        return None
    one, other = first.mean(axis=0), second.mean(axis=0)
    bootstrap = paired_bootstrap(one, other, seed=BOOTSTRAP_SEED)
    gaps = (one - other).round(12)
    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
    return Comparison(
        difference=bootstrap.difference,
        interval=bootstrap.interval,
        p_bootstrap=bootstrap.p,
        p_sign=sign_test(wins, losses),
        p_mcnemar=mcnemar((one > 0.5).tolist(), (other > 0.5).tolist()),
        wins=wins,
        losses=losses,
        n=len(one),
    )


def mean_confusion(answers: Sequence[Answers]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """[labels, labels] gold by predicted, mean over seeds; of several gold labels the one that was found."""
    labels = answers[0].labels
    number = {label: place for place, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)))
    for one in answers:
        for predicted, gold in zip(one.predicted, one.gold, strict=True):
            counts[number[predicted if predicted in gold else gold[0]], number[predicted]] += 1
    return labels, counts / len(answers)
