"""Scores of predicted coreference chains: MUC, B-cubed, CEAF and their mean.

A chain is a set of mentions; a mention is anything hashable, such as a pair of offsets. Counts are summed
over documents before they are divided, as the reference scorer of the CoNLL shared tasks does (Pradhan et al.
2014).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Chain = AbstractSet[Hashable]
Chains = Sequence[Chain]


class Score(NamedTuple):
    """Recall and precision as fractions that can be summed over documents."""

    recall_part: float = 0
    recall_whole: float = 0
    precision_part: float = 0
    precision_whole: float = 0

    @property
    def recall(self) -> float:
        return self.recall_part / self.recall_whole if self.recall_whole else 0.0

    @property
    def precision(self) -> float:
        return self.precision_part / self.precision_whole if self.precision_whole else 0.0

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True, slots=True)
class CoreferenceScores:
    """The three measures of the CoNLL shared tasks, and the detection of mentions."""

    mentions: Score
    muc: Score
    b_cubed: Score
    ceaf: Score

    @property
    def mean(self) -> float:
        """The mean F1 of MUC, B-cubed and entity-based CEAF."""
        return (self.muc.f1 + self.b_cubed.f1 + self.ceaf.f1) / 3


def score_coreference(documents: Iterable[tuple[Chains, Chains]]) -> CoreferenceScores:
    """The scores over documents, each given as its gold and its predicted chains."""
    pairs = list(documents)
    measures = (mention_detection, muc, b_cubed, ceaf_entities)
    # The four fractions of each measure, summed over documents.
    columns = (zip(*(measure(*pair) for pair in pairs), strict=True) for measure in measures)
    return CoreferenceScores(*(Score(*map(sum, column)) for column in columns))


def mention_detection(gold: Chains, predicted: Chains) -> Score:
    """How many mentions are in some chain of both."""
    there, found = set().union(*gold), set().union(*predicted)
    return Score(len(there & found), len(there), len(there & found), len(found))


def muc(gold: Chains, predicted: Chains) -> Score:
    """Vilain et al. (1995): sum over chains K of |K| - |parts of K|, by sum of |K| - 1.

    The parts of a gold chain are its intersections with the predicted chains, and each mention that is in
    none of them; precision is recall with the two sides exchanged.
    """
    return Score(*_muc_recall(gold, predicted), *_muc_recall(predicted, gold))


def b_cubed(gold: Chains, predicted: Chains) -> Score:
    """Bagga & Baldwin (1998): the mean over gold mentions of |K and R| / |K|, for its chains K and R.

    A mention without a predicted chain adds 0, as in the reference scorer.
    """
    return Score(*_b_cubed_recall(gold, predicted), *_b_cubed_recall(predicted, gold))


def ceaf_entities(gold: Chains, predicted: Chains) -> Score:
    """Luo (2005), phi4: the best assignment of chains one to one, a pair worth 2 |K and R| / (|K| + |R|)."""
    numbers = {mention: index for index, chain in enumerate(predicted) for mention in chain}
    similarity: NDArray[np.float64] = np.zeros((len(gold), len(predicted)))
    for row, chain in enumerate(gold):
        for mention in chain:
            if mention in numbers:
                similarity[row, numbers[mention]] += 1
    sizes = np.array([len(chain) for chain in gold])[:, None] + np.array([len(chain) for chain in predicted])
    similarity = 2 * similarity / np.maximum(sizes, 1).reshape(similarity.shape)
    rows, columns = best_assignment(similarity)
    common = float(similarity[rows, columns].sum())
    return Score(common, len(gold), common, len(predicted))


def _muc_recall(gold: Chains, predicted: Chains) -> tuple[float, float]:
    number = {mention: index for index, chain in enumerate(predicted) for mention in chain}
    part = whole = 0
    for chain in gold:
        parts = {number[mention] for mention in chain if mention in number}
        alone = sum(mention not in number for mention in chain)
        part += len(chain) - len(parts) - alone
        whole += len(chain) - 1
    return part, whole


def _b_cubed_recall(gold: Chains, predicted: Chains) -> tuple[float, float]:
    chain_of = {mention: chain for chain in predicted for mention in chain}
    part = 0.0
    for chain in gold:
        for mention in chain:
            if mention in chain_of:
                part += len(chain & chain_of[mention]) / len(chain)
    return part, sum(len(chain) for chain in gold)


def best_assignment(weights: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the pairs whose weights, none of them negative, have the largest sum.

    The Hungarian method with shortest augmenting paths (Jonker & Volgenant 1987), in O(rows^2 columns) steps
    of NumPy over columns. ``weights`` is (rows, columns); as many pairs come back as the shorter side has.
    """
    if weights.shape[0] > weights.shape[1]:
        columns, rows = best_assignment(weights.T)
        return rows, columns
    height, width = weights.shape
    costs = -np.asarray(weights, dtype=np.float64)
    row_price = np.zeros(height + 1)
    column_price = np.zeros(width + 1)
    row_of = np.full(width + 1, -1, dtype=np.intp)  # the last column is where each search begins
    for row in range(height):
        row_of[width] = row
        column = width
        least = np.full(width + 1, np.inf)
        came_from = np.full(width + 1, -1, dtype=np.intp)
        done = np.zeros(width + 1, dtype=np.bool_)
        while row_of[column] >= 0:
            done[column] = True
            here = row_of[column]
            reduced = costs[here] - row_price[here] - column_price[:width]
            better = ~done[:width] & (reduced < least[:width])
            least[:width][better] = reduced[better]
            came_from[:width][better] = column
            following = int(np.argmin(np.where(done[:width], np.inf, least[:width])))
            step = least[following]
            row_price[row_of[done]] += step
            column_price[done] -= step
            least[:width][~done[:width]] -= step
            column = following
        while column != width:
            row_of[column] = row_of[came_from[column]]
            column = int(came_from[column])
        row_of[width] = -1
    columns = np.flatnonzero(row_of[:width] >= 0)
    order = np.argsort(row_of[columns])
    return row_of[columns][order], columns[order]
