"""Gold and predicted labels -> accuracy, confusion, precision, recall and F1.

A relation may have two gold senses; a prediction is right if it is one of them. For everything that needs a
single gold label, the one that was hit counts, and the first one where none was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.errors import InputError

Gold = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class SenseScore:
    """How well one sense is found; ``support`` is the number of relations that have it."""

    precision: float
    recall: float
    f1: float
    support: int


def check_labels(gold: Gold, predicted: Sequence[str]) -> None:
    """Raise InputError unless there is one prediction, and at least one gold label, for each relation."""
    if len(gold) != len(predicted):
        raise InputError(
            f"{len(predicted)} predictions for {len(gold)} relations.", hint="Give one prediction a relation."
        )
    if not gold:
        raise InputError("There is no relation to evaluate on.", hint="Choose another part of the corpus.")
    for index, labels in enumerate(gold):
        if not labels:
            raise InputError(
                f"Relation {index + 1} has no gold label.",
                hint="Leave unlabelled relations out.",
            )


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
    rows = np.array([number[label] for label in settled], dtype=np.int64)
    columns = np.array([number[label] for label in predicted], dtype=np.int64)
    flat = np.bincount(rows * len(labels) + columns, minlength=len(labels) ** 2)
    return flat.reshape(len(labels), len(labels)).astype(np.int64)


def scores_by_sense(confusion: NDArray[np.int64], *, labels: Sequence[str]) -> dict[str, SenseScore]:
    """Precision, recall and F1 of each label; 0 where there is nothing to divide by."""
    right = np.diag(confusion)
    support = confusion.sum(axis=1)
    answered = confusion.sum(axis=0)
    return {
        label: SenseScore(
            precision=_ratio(right[index], answered[index]),
            recall=_ratio(right[index], support[index]),
            f1=_ratio(2 * right[index], answered[index] + support[index]),
            support=int(support[index]),
        )
        for index, label in enumerate(labels)
    }


def macro_f1(by_sense: Mapping[str, SenseScore]) -> float:
    """The mean F1 over the senses that occur as gold, each counted once however rare it is."""
    present = [score.f1 for score in by_sense.values() if score.support]
    return sum(present) / len(present) if present else 0.0


def _ratio(part: np.int64, whole: np.int64) -> float:
    return float(part / whole) if whole else 0.0
