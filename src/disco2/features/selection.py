"""Select features: the most informative ones (mutual information with the classes), or all frequent ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_Feature = TypeVar("_Feature")


@dataclass(frozen=True, slots=True)
class Presence:
    """Which candidate is in which relation, as parallel arrays; no pair occurs twice."""

    candidates: NDArray[np.int64]
    relations: NDArray[np.int64]
    count: int  # of candidates, numbered from 0

    def frequent(self, minimum_count: int) -> NDArray[np.int64]:
        """The candidates in at least so many relations."""
        counts = np.bincount(self.candidates, minlength=self.count)
        return np.flatnonzero(counts >= minimum_count)


def class_membership(labels: Sequence[Sequence[str]]) -> NDArray[np.bool_]:
    """bool [classes, relations]: whether a relation has a class among its labels; classes in sorted order."""
    rows = {name: row for row, name in enumerate(sorted({name for names in labels for name in names}))}
    membership = np.zeros((len(rows), len(labels)), dtype=bool)
    for relation, names in enumerate(labels):
        for name in names:
            membership[rows[name], relation] = True
    return membership


def mutual_information(joint: NDArray[np.int64], classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mutual information, in bits, between the presence of each feature and each class against the rest.

        I(f, c) = sum over present/absent i and class/other j of  n_ij / N * log2(n_ij N / (n_i. n_.j))

    ``joint`` [features, classes] counts the training instances of a class that have the feature, ``classes``
    [classes] all instances of the class; an instance has one class. Returns [features, classes].

    With T(n) = n log2 n the sum is N I = sum T(n_ij) - sum T(n_i.) - sum T(n_.j) + T(N). All counts are whole
    numbers up to N, so T is a table, and equal counts give equal scores to the last bit on every processor.
    """
    total = int(classes.sum())
    if total == 0:
        return np.zeros(joint.shape)
    n = np.arange(total + 1, dtype=np.float64)
    t = n * np.log2(np.maximum(n, 1))
    present = joint.sum(axis=1, keepdims=True)
    cells = t[joint] + t[present - joint] + t[classes - joint] + t[total - present - classes + joint]
    margins = t[present] + t[total - present] + t[classes] + t[total - classes]
    information: NDArray[np.float64] = np.maximum((cells - margins + t[total]) / total, 0.0)
    return information


def select(
    presence: Presence,
    membership: NDArray[np.bool_],
    *,
    limit: int,
    minimum_count: int,
    name: Callable[[int], tuple[Any, ...]],
) -> list[int]:
    """The candidates with the best scores, best first; equal scores in the order of their names.

    A candidate's score is its largest mutual information with any class, rounded to 12 decimals so that
    rounding errors do not decide ties. Candidates in fewer than ``minimum_count`` relations are out.
    A relation with several labels counts once for each of them, as it does in training.
    """
    frequent = presence.frequent(minimum_count)
    if limit == 0 or len(frequent) == 0 or len(membership) == 0:
        return []
    place = np.full(presence.count, -1)
    place[frequent] = np.arange(len(frequent))
    places = place[presence.candidates]
    relations = presence.relations[places >= 0]
    places = places[places >= 0]

    joint = np.stack(
        [np.bincount(places[members[relations]], minlength=len(frequent)) for members in membership], axis=1
    )
    scores = mutual_information(joint, membership.sum(axis=1)).max(axis=1).round(12)
    # Names are spelled out for those alone that may be among the best.
    limit = min(limit, len(scores))
    worst = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    contenders = [(-scores[place], int(frequent[place])) for place in np.flatnonzero(scores >= worst)]
    return [number for _, number in sorted(contenders, key=lambda one: (one[0], name(one[1])))[:limit]]


def collect(found: Iterable[Set[_Feature]]) -> tuple[list[_Feature], Presence]:
    """Number the features of all relations, given those of each; which relation has which."""
    numbers: dict[_Feature, int] = {}
    candidates: list[int] = []
    lengths: list[int] = []
    for features in found:
        candidates.extend(numbers.setdefault(feature, len(numbers)) for feature in features)
        lengths.append(len(features))
    relations = np.repeat(np.arange(len(lengths)), lengths)
    return list(numbers), Presence(np.array(candidates, dtype=np.int64), relations, len(numbers))
