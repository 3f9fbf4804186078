"""The loss of one document and its gradient.

    loss = - sum_i log sum_{a in gold(i)} P'(a | i)
    P'(a | i) proportional to P(a | i) exp(cost(a, gold(i)))

gold(i) are the candidates before i in its chain, or {new} where there are none (Durrett & Klein 2013). The
gradient by s(i, a) is P'(a | i) less the share of a among the gold ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.english.coreference.features import PAIR_FEATURES
from disco2.annotation.english.coreference.lexicon import GROUP_OF_KIND, GROUPS, KINDS
from disco2.annotation.english.coreference.ranking import (
    Tables,
    antecedent_scores,
    kind_pairs,
    new_scores,
    offsets,
    pair_scores,
)
from disco2.training.annotators.coreference.examples import Example

_Floats = NDArray[np.float64]


def loss_and_gradient(tables: Tables, example: Example) -> tuple[float, Tables]:
    """The loss of a document, and its derivative by each cell of the tables."""
    scores = _scores_with_costs(tables, example)
    right = np.concatenate([~example.gold.any(axis=1, keepdims=True), example.gold], axis=1)
    probabilities, logarithms = _softmax(scores)
    shares, right_logarithms = _softmax(np.where(right, scores, -np.inf))
    loss = float((logarithms - right_logarithms).sum())
    return loss, _gradient(tables, example, probabilities - shares)


def _scores_with_costs(tables: Tables, example: Example) -> _Floats:
    """(mentions, 1 + antecedents): first the scores of {new}."""
    new = new_scores(tables, example.rows, example.mentions) + example.new_costs
    own = antecedent_scores(tables, example.rows)
    links = pair_scores(
        tables, example.mentions, 0, example.antecedents, example.features, offsets(PAIR_FEATURES), own
    )
    return np.concatenate([new[:, None], links + example.costs], axis=1).astype(np.float64)


def _softmax(scores: _Floats) -> tuple[_Floats, _Floats]:
    """Probabilities along each row, and the logarithm of the row's sum."""
    highest = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - highest)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, (np.log(total) + highest)[:, 0]


def _gradient(tables: Tables, example: Example, residual: _Floats) -> Tables:
    """Each cell gets the sum of the residuals of the decisions that looked it up."""
    mentions, antecedents = example.mentions, example.antecedents
    group = GROUP_OF_KIND[mentions.kind]
    new = _sums(example.rows * GROUPS + group[:, None], residual[:, :1], tables.new.shape)

    links = residual[:, 1:]
    # (antecedent, group of i): what all decisions for one antecedent add up to.
    cells = np.maximum(antecedents, 0) * GROUPS + group[:, None]
    by_antecedent = np.bincount(cells.ravel(), links.ravel(), len(mentions) * GROUPS).reshape(-1, GROUPS)
    antecedent = np.zeros(tables.antecedent.shape)
    for column in example.rows.T:
        np.add.at(antecedent, column, by_antecedent)

    column_of = kind_pairs(mentions, 0, antecedents)
    pair = np.zeros(tables.pair.size)
    for index, start in enumerate(offsets(PAIR_FEATURES).tolist()):
        cells = (example.features[:, :, index].astype(np.int32) + start) * (KINDS * KINDS) + column_of
        pair += np.bincount(cells.ravel(), links.ravel(), pair.size)
    return Tables(
        new.astype(np.float32),
        antecedent.astype(np.float32),
        pair.reshape(tables.pair.shape).astype(np.float32),
    )


def _sums(cells: NDArray[np.int32], weights: _Floats, shape: tuple[int, ...]) -> _Floats:
    spread = np.broadcast_to(weights, cells.shape)
    return np.bincount(cells.ravel(), spread.ravel(), int(np.prod(shape))).astype(np.float64).reshape(shape)
