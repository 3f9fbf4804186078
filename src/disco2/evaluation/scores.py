"""Gold and predicted labels -> all figures of one system on one set of relations.

A relation may have two gold senses; a prediction is right if it is one of them. For everything that needs a
single gold label, the predicted one counts if it is among them, and otherwise the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.errors import InputError
from disco2.evaluation.significance import Interval, bootstrap_interval, wilson_interval

Gold = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class SenseScore:
    """How well one sense is found; ``support`` is the number of relations that have it."""

    precision: float
    recall: float
    f1: float
    support: int


def hits(gold: Gold, predicted: Sequence[str]) -> NDArray[np.bool_]:
    """For each relation, whether the prediction is one of its gold labels."""
    return np.array([label in labels for labels, label in zip(gold, predicted, strict=True)], dtype=np.bool_)


def settled_gold(gold: Gold, predicted: Sequence[str]) -> list[str]:
    """The one gold label of each relation that counts: the one that was hit, else the first."""
    return [label if label in labels else labels[0] for labels, label in zip(gold, predicted, strict=True)]


def confusion_matrix(
    settled: Sequence[str], predicted: Sequence[str], *, labels: Sequence[str]
) -> NDArray[np.int64]:
    """Counts of relations, [gold, predicted], in the order of ``labels``, which must hold all that occur."""
    number = {label: index for index, label in enumerate(labels)}
    confusion = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for label, answer in zip(settled, predicted, strict=True):
        confusion[number[label], number[answer]] += 1
    return confusion


def scores_by_sense(confusion: NDArray[np.int64], *, labels: Sequence[str]) -> dict[str, SenseScore]:
    """Precision, recall and F1 of each label; 0 if there is nothing to divide by."""
    right, support, answered = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    precision, recall = right / np.maximum(answered, 1), right / np.maximum(support, 1)
    f1 = 2 * right / np.maximum(answered + support, 1)
    columns = zip(precision.tolist(), recall.tolist(), f1.tolist(), support.tolist(), strict=True)
    return {label: SenseScore(*column) for label, column in zip(labels, columns, strict=True)}


def macro_f1(by_sense: Mapping[str, SenseScore]) -> float:
    """The mean F1 over the senses that occur as gold, each with the same weight."""
    present = [score.f1 for score in by_sense.values() if score.support]
    return sum(present) / len(present) if present else 0.0


@dataclass(frozen=True, slots=True)
class Subset:
    """Accuracy on some of the relations; None if there are none."""

    accuracy: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often each gold label (rows) was predicted as each label (columns), in the order of ``labels``."""

    labels: list[str]
    counts: list[list[int]]


@dataclass(frozen=True)
class Evaluation:
    """Figures from 0 to 1. ``interval`` is the 95% bootstrap interval of the accuracy.

    ``shared_entities`` are the relations whose arguments share an entity, ``other_pairs`` the rest.
    ``majority_share`` is the accuracy of the best constant answer on these relations. ``f1`` is that of the
    ``positive`` class, if the task is one class against the rest.
    """

    accuracy: float
    interval: Interval
    wilson_interval: Interval
    macro_f1: float
    n: int
    majority_share: float
    per_sense: Mapping[str, SenseScore]
    confusion: Confusion
    shared_entities: Subset
    other_pairs: Subset
    positive: str | None = None
    f1: float | None = None

    def to_json(self) -> dict[str, Any]:
        content = asdict(self)
        if self.positive is None:
            del content["positive"], content["f1"]
        return content


def evaluate(
    gold: Gold,
    predicted: Sequence[str],
    shared: Sequence[bool],
    *,
    labels: Sequence[str],
    seed: int,
    positive: str | None = None,
) -> Evaluation:
    """Judge predictions: ``gold`` holds the acceptable labels of each relation, the first sense first.

    ``shared`` says which relations share an entity between their arguments. Labels that occur and are not
    among ``labels`` are added behind them. ``positive`` names the class if the task is one class against the
    rest.
    """
    if not gold:
        raise InputError("There is no relation to evaluate on.", hint="Choose another part of the corpus.")
    if not len(gold) == len(predicted) == len(shared) or not all(gold):
        raise ValueError("every relation needs a gold label, a prediction and whether it shares an entity")
    settled = settled_gold(gold, predicted)
    known = tuple(dict.fromkeys((*labels, *sorted({*settled, *predicted}))))
    if positive is not None and positive not in known:
        raise InputError(f"'{positive}' is no label of this task.", hint=f"Labels: {', '.join(known)}.")
    right, shares = hits(gold, predicted), np.array(shared, dtype=np.bool_)
    confusion = confusion_matrix(settled, predicted, labels=known)
    by_sense = scores_by_sense(confusion, labels=known)
    correct, n = int(right.sum()), len(right)
    acceptable = Counter(label for accepted in gold for label in set(accepted))
    return Evaluation(
        accuracy=correct / n,
        interval=bootstrap_interval(right, seed=seed),
        wilson_interval=wilson_interval(correct, n),
        macro_f1=macro_f1(by_sense),
        n=n,
        majority_share=max(acceptable.values()) / n,
        per_sense=by_sense,
        confusion=Confusion(list(known), confusion.tolist()),
        shared_entities=_subset(right[shares]),
        other_pairs=_subset(right[~shares]),
        positive=positive,
        f1=None if positive is None else by_sense[positive].f1,
    )


def _subset(right: NDArray[np.bool_]) -> Subset:
    return Subset(float(right.mean()) if len(right) else None, len(right))


BINS = 15  # as in Guo et al. (2017), On Calibration of Modern Neural Networks


def expected_calibration_error(
    confidences: Sequence[float] | NDArray[np.floating[Any]],
    right: Sequence[bool] | NDArray[np.bool_],
    *,
    bins: int = BINS,
) -> float:
    """sum over bins b of n_b / n * |accuracy(b) - mean confidence(b)|.

    ``confidences`` are the probabilities of the answers given, ``right`` says which answers were right. The
    bins are (0, 1/bins], (1/bins, 2/bins] ... up to 1; a confidence of 0 falls into the first.
    """
    sure = np.asarray(confidences, dtype=np.float64)
    hit = np.asarray(right, dtype=np.float64)
    if not len(sure) or not ((sure >= 0) & (sure <= 1)).all():
        raise ValueError("confidences must be probabilities, and at least one")
    numbers = np.clip(np.ceil(sure * bins).astype(np.int64) - 1, 0, bins - 1)
    # n_b / n * |accuracy - confidence| is the difference of the bin's sums, over n.
    gaps = np.bincount(numbers, weights=hit - sure, minlength=bins)
    return float(np.abs(gaps).sum() / len(sure))
