"""Adapting the last layer of a trained encoder to a few labelled pairs.

The scores of a pair with the pooled vector x [d] are psi = W x + b + c, where c [Y] holds the terms of
entities and features, which stay as they are. With x~ = [x; 1] and a change D [Y, d+1] of [W, b], the
probabilities are

    p(y | x) = exp(z_y) / sum over y' of exp(z_y'),    z = (psi + D x~) / T

at the model's own temperature T. Multinomial logistic regression, regularised towards the trained weights,
minimises over n pairs with the targets q [n, Y]

    L(D) = - sum over i, y of q_iy log p(y | x_i) + lambda / 2 |D|^2,    lambda = s mean |x~|^2

L is convex, so training has no seed. The strength s is chosen by cross-validation. The rows of the best D lie
in the space that the x~ span, so the fit works with their coordinates in that space: [n, r], r <= n.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from disco2.training.loop import log_softmax

Matrix = NDArray[np.float64]
Whole = NDArray[np.int64]

STRENGTHS = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)  # strongest first: each fit starts from the one before
STEPS = 300
TOLERANCE = 1e-4  # of the gradient, relative to the number of pairs
FOLDS = 5


@dataclass(frozen=True)
class LabelledPairs:
    """What the fit needs of n pairs; columns are the labels that may be the answer."""

    pooled: Matrix  # x, [n, d]
    scores: Matrix  # psi of the trained model, [n, Y]
    targets: Matrix  # q, [n, Y]; a row adds up to 1
    temperature: float = 1.0

    @cached_property
    def rotation(self) -> tuple[Matrix, Matrix, float]:
        """Coordinates Z [n, r] and orthonormal axes V [d+1, r] with x~ = V z; mean |x~|^2."""
        inputs = np.hstack([self.pooled, np.ones((len(self.pooled), 1))])
        left, sizes, axes = np.linalg.svd(inputs, full_matrices=False)
        kept = sizes > sizes[0] * 1e-10  # smaller ones are rounding errors
        return left[:, kept] * sizes[kept], axes[kept].T, float((inputs**2).sum(axis=1).mean())


@dataclass(frozen=True)
class Adaptation:
    """The change of the weights, and answers of models that did not see the pair they are about."""

    weights: Matrix  # D without its last column, [Y, d]
    bias: Matrix  # [Y]
    strength: float
    before: Whole  # [n], columns: answers of the trained model
    after: Whole  # [n], columns: answers in cross-validation, the strength chosen without the pair's fold


def loss_gradient(
    change: Matrix, inputs: Matrix, scores: Matrix, targets: Matrix, *, temperature: float, penalty: float
) -> Matrix:
    """dL/dD = (P - Q)^T X~ / T + lambda D, for D [Y, r] and X~ [n, r]."""
    chances = np.exp(log_softmax((scores + inputs @ change.T) / temperature))
    found: Matrix = (chances - targets).T @ inputs / temperature + penalty * change
    return found


def fit_change(
    start: Matrix, inputs: Matrix, scores: Matrix, targets: Matrix, *, temperature: float, penalty: float
) -> Matrix:
    """The D [Y, r] that minimises L, by Nesterov's accelerated gradient for strongly convex functions.

    The steps are 1 / (l + lambda), where l = |X~|_2^2 / (2 T^2) bounds the curvature of the first term.
    """
    curvature = float(np.linalg.norm(inputs, 2)) ** 2 / (2 * temperature**2) + penalty
    ratio = np.sqrt(penalty / curvature)
    momentum = (1 - ratio) / (1 + ratio)
    found = ahead = start
    for _ in range(STEPS):
        gradient = loss_gradient(ahead, inputs, scores, targets, temperature=temperature, penalty=penalty)
        before, found = found, ahead - gradient / curvature
        ahead = found + momentum * (found - before)
        # The gradient has the unit of x~; without it, the tolerance would depend on the encoder's scale.
        if np.abs(gradient).max() <= TOLERANCE * len(inputs) * float(np.abs(inputs).max()):
            break
    return found


def adapt(pairs: LabelledPairs, folds: Whole) -> Adaptation:
    """Fit the change on all pairs, and answer each pair by models that were fitted without its fold.

    ``folds`` [n] numbers the fold of each pair. The strength for the answers to a fold is chosen by
    cross-validation over the other folds, so that these answers are what new pairs would get.
    """
    numbers = sorted(set(folds.tolist()))
    coordinates, axes, _ = pairs.rotation

    @cache
    def path(left_out: frozenset[int]) -> Matrix:
        """log p of all pairs for each strength, [strengths, n, Y], fitted without these folds."""
        changes = _fit_strengths(pairs, ~np.isin(folds, list(left_out)))
        scores = [pairs.scores + coordinates @ change.T for change in changes]
        return np.stack([log_softmax(one / pairs.temperature) for one in scores])

    def best_strength(tested: Sequence[int], *without: int) -> int:
        losses = np.zeros(len(STRENGTHS))
        for fold in tested:
            here = folds == fold
            losses -= (path(frozenset({fold, *without}))[:, here] * pairs.targets[here]).sum(axis=(1, 2))
        return int(losses.argmin())

    after = np.zeros(len(folds), dtype=np.int64)
    for fold in numbers:
        chosen = best_strength([one for one in numbers if one != fold], fold)
        after[folds == fold] = path(frozenset({fold}))[chosen, folds == fold].argmax(axis=1)
    chosen = best_strength(numbers)
    change = _fit_strengths(pairs, np.ones(len(folds), dtype=bool))[chosen] @ axes.T
    before = pairs.scores.argmax(axis=1)
    return Adaptation(change[:, :-1], change[:, -1], STRENGTHS[chosen], before, after)


def deal_folds(groups: Sequence[Hashable], labels: Sequence[str], *, seed: int, count: int = FOLDS) -> Whole:
    """A fold for each pair, [n]: pairs of one group share a fold, and labels are spread over all folds."""
    first_label = dict(zip(reversed(groups), reversed(labels), strict=True))
    order = np.random.default_rng(seed).permutation(len(first_label))
    names = list(dict.fromkeys(groups))
    dealt = sorted((names[place] for place in order), key=lambda name: first_label[name])
    fold_of = {name: place % count for place, name in enumerate(dealt)}
    return np.array([fold_of[group] for group in groups], dtype=np.int64)


def _fit_strengths(pairs: LabelledPairs, used: NDArray[np.bool_]) -> list[Matrix]:
    """The change [Y, r] for each strength, fitted on some of the pairs."""
    coordinates, _, unit = pairs.rotation  # the unit makes strengths independent of the scale of the encoder
    change = np.zeros((pairs.scores.shape[1], coordinates.shape[1]))
    some = coordinates[used], pairs.scores[used], pairs.targets[used]
    found = []
    for strength in STRENGTHS:
        change = fit_change(change, *some, temperature=pairs.temperature, penalty=strength * unit)
        found.append(change)
    return found
