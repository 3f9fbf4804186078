"""Fitting log-linear models over named features.

All losses are convex, so that training has no seed: L-BFGS on ``loss + λ/2 |w|²``. Questions with few answers
use the logistic or the softmax loss over classes; a choice among candidates uses the softmax over them,
``-log exp(w·x_gold) / Σ_c exp(w·x_c)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.errors import MissingExtraError
from disco2.parser.arguments import SpanChoice
from disco2.parser.linear import Item, LinearModel, feature_names

Numbers = NDArray[np.float64]
Items = list[Item]
SMALL_WEIGHT = 0.02  # features none of whose weights is larger are left out
STEPS = 150


@dataclass(frozen=True)
class Group:
    """Candidates to choose from, and the number of the right one."""

    choice: SpanChoice
    gold: int


def fit_classes(
    items: Items, answers: Sequence[str], classes: Sequence[str], *, held_back: float, least: int
) -> LinearModel:
    """A logistic model where there is one class, a softmax over several; [features, classes] weights."""
    names = _names(items, least)
    matrix = _matrix(items, names)
    gold = np.array([[answer == name for name in classes] for answer in answers], dtype=np.float64)
    shape = len(names), len(classes)

    def loss(flat: Numbers) -> tuple[float, Numbers]:
        weights = flat.reshape(shape)
        scores = matrix @ weights
        if len(classes) == 1:
            total = np.logaddexp(0, scores).sum() - scores[gold == 1].sum()
            chances = 1 / (1 + np.exp(-scores))
        else:
            top = scores.max(axis=1, keepdims=True)
            chances = np.exp(scores - top)
            rest = chances.sum(axis=1, keepdims=True)
            chances /= rest
            total = (np.log(rest) + top).sum() - scores[gold == 1].sum()
        gradient = matrix.T @ (chances - gold) + held_back * weights
        return float(total + held_back / 2 * flat @ flat), gradient.ravel()

    return _kept(names, _descend(loss, len(names) * len(classes)).reshape(shape), classes)


def fit_ranker(groups: Sequence[Group], *, held_back: float, least: int) -> LinearModel:
    """A softmax over the candidates of each group."""
    choices = [group.choice for group in groups]
    begins = [row for choice in choices for row in choice.begins]
    ends = [row for choice in choices for row in choice.ends]
    kinds = [row for choice in choices for row in choice.kinds]
    names = _names([*begins, *ends, *kinds], least)
    pairs = np.array([pair for choice in choices for pair in choice.pairs])
    sizes = np.array([len(choice.pairs) for choice in choices])

    def rows(items: Items, lengths: list[int], column: int) -> Any:
        before = np.cumsum(lengths) - lengths
        return _matrix(items, names)[np.repeat(before, sizes) + pairs[:, column]]

    matrix = (
        rows(begins, [len(choice.begins) for choice in choices], 0)
        + rows(ends, [len(choice.ends) for choice in choices], 1)
        + rows(kinds, [len(choice.kinds) for choice in choices], 2)
    ).tocsr()
    starts = np.cumsum(sizes) - sizes
    owner = np.repeat(np.arange(len(groups)), sizes)
    gold = starts + np.array([group.gold for group in groups])
    wanted = np.asarray(matrix[gold].sum(axis=0)).ravel()
    turned = matrix.T.tocsr()

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        scores = matrix @ weights
        top = np.maximum.reduceat(scores, starts)
        chances = np.exp(scores - top[owner])
        rest = np.add.reduceat(chances, starts)
        chances /= rest[owner]
        total = (np.log(rest) + top).sum() - scores[gold].sum()
        return float(
            total + held_back / 2 * weights @ weights
        ), turned @ chances - wanted + held_back * weights

    return _kept(names, _descend(loss, len(names))[:, None], ("score",))


def _names(items: Sequence[Item], least: int) -> dict[str, int]:
    counts = Counter(name for item in items for name in set(feature_names(item)))
    return {
        name: row for row, name in enumerate(sorted(name for name, count in counts.items() if count >= least))
    }


def _matrix(items: Sequence[Item], names: dict[str, int]) -> Any:
    """[items, features] with the counts of each feature."""
    sparse = _scipy().sparse
    columns: list[int] = []
    ends = [0]
    for item in items:
        columns.extend(names[name] for name in feature_names(item) if name in names)
        ends.append(len(columns))
    return sparse.csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(items), len(names)))


def _descend(loss: Callable[[Numbers], tuple[float, Numbers]], size: int) -> Numbers:
    found = _scipy().optimize.minimize(
        loss, np.zeros(size), jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 10}
    )
    return np.asarray(found.x)


def _scipy() -> Any:
    try:
        import scipy.optimize
        import scipy.sparse
    except ImportError as error:
        raise MissingExtraError("scipy", "fast", "Training the parser") from error
    return scipy


def _kept(names: dict[str, int], weights: Numbers, classes: Sequence[str]) -> LinearModel:
    """The model without features of small weight."""
    rows = np.flatnonzero(np.abs(weights).max(axis=1) >= SMALL_WEIGHT)
    ordered = list(names)
    numbers = {ordered[row]: number for number, row in enumerate(rows.tolist())}
    return LinearModel(tuple(classes), numbers, weights[rows].astype(np.float32))
