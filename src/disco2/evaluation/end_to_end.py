"""End-to-end scores of a discourse parser, as the CoNLL-2015 and 2016 shared tasks define them.

Exact: a connective, an argument or a pair of arguments is right if it has the same tokens as a gold one; each
gold one is matched once. A relation is right if both arguments are exact, the sense is one of the gold ones
and, for explicit relations, the connective is exact.

Overlap: within a document, relations are aligned one to one so that the sum of ``(F1(Arg1) + F1(Arg2)) / 2``
is largest, over pairs that reach the cutoff (0.7), where ``F1(A, B) = 2 |A ∩ B| / (|A| + |B|)`` counts
tokens. A relation is right if it is aligned and has the right sense; ``both arguments`` requires that
each argument alone reaches the cutoff.

Unlike in CoNLL-2016, a connective needs all its tokens, since no table of connective heads is used.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.errors import InputError
from disco2.evaluation.significance import Interval, draw_counts, interval_of

CUTOFF = 0.7
SEED, RESAMPLES = 1, 1000  # of the bootstrap over documents
EXPLICIT = "Explicit"

Tokens = frozenset[int]


@dataclass(frozen=True, slots=True)
class SpanRelation:
    """A relation by its tokens; ``senses`` are all that count as right for gold, or the predicted one."""

    document: str
    kind: str
    arg1: Tokens
    arg2: Tokens
    senses: tuple[str, ...]
    connective: Tokens = frozenset()


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Counts of right, found and gold items, and the figures from them; as in CoNLL, 0 of 0 is 1."""

    right: int
    found: int
    gold: int
    interval: Interval | None = None  # of F1, 95%, by resampling documents

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.gold if self.gold else 1.0

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


Counts = dict[str, NDArray[np.int64]]  # measure -> right, found, gold


def score_relations(
    gold: Sequence[SpanRelation], predicted: Sequence[SpanRelation]
) -> dict[str, PrecisionRecall]:
    """All measures by name, with 95% bootstrap intervals of F1 over documents."""
    if not gold:
        raise InputError("There is no relation to evaluate on.", hint="Choose another part of the corpus.")
    documents: dict[str, tuple[list[SpanRelation], list[SpanRelation]]] = defaultdict(lambda: ([], []))
    for side, relations in enumerate((gold, predicted)):
        for one in relations:
            documents[one.document][side].append(one)
    each = [count_document(*documents[name]) for name in sorted(documents)]
    return {measure: with_interval(np.array([one[measure] for one in each])) for measure in each[0]}


def with_interval(counts: NDArray[np.int64]) -> PrecisionRecall:
    """[documents, 3] counts of right, found and gold ones -> their sums, with the interval of F1."""
    each = np.ones(len(counts), dtype=np.int64)
    totals = draw_counts(each, seed=SEED, size=RESAMPLES) @ counts  # [RESAMPLES, 3]
    f1 = 2 * totals[:, 0] / np.maximum(totals[:, 1] + totals[:, 2], 1)
    right, found, gold = counts.sum(axis=0).tolist()
    return PrecisionRecall(right, found, gold, interval_of(f1))


def count_document(gold: Sequence[SpanRelation], predicted: Sequence[SpanRelation]) -> Counts:
    """The counts of one document, by measure."""
    stated = [one for one in gold if one.kind == EXPLICIT], [one for one in predicted if one.kind == EXPLICIT]
    others = [one for one in gold if one.kind != EXPLICIT], [one for one in predicted if one.kind != EXPLICIT]
    # GUM may have two relations with one connective, which counts once.
    with_words = list({one.connective: one for one in stated[0] if one.connective}.values())
    counts = {"connectives": _exact(with_words, stated[1], lambda one: one.connective)}
    for name, (there, found) in (("explicit", stated), ("not explicit", others), ("all", (gold, predicted))):
        pairs = [(there[g], found[p]) for g, p in align(there, found)]
        both = sum(span_f1(g.arg1, p.arg1) >= CUTOFF and span_f1(g.arg2, p.arg2) >= CUTOFF for g, p in pairs)
        sense = sum(_same_sense(g, p) for g, p in pairs)
        counts |= {
            f"{name} Arg1 exact": _exact(there, found, lambda one: one.arg1),
            f"{name} Arg2 exact": _exact(there, found, lambda one: one.arg2),
            f"{name} both exact": _exact(there, found, lambda one: (one.arg1, one.arg2)),
            f"{name} exact": _counts(_right_exact(there, found), found, there),
            f"{name} aligned": _counts(len(pairs), found, there),
            f"{name} both overlap": _counts(both, found, there),
            f"{name} overlap": _counts(sense, found, there),
        }
    return counts


def _counts(right: int, found: Sequence[SpanRelation], gold: Sequence[SpanRelation]) -> NDArray[np.int64]:
    return np.array([right, len(found), len(gold)], dtype=np.int64)


def _exact(
    gold: Sequence[SpanRelation], found: Sequence[SpanRelation], key: Callable[[SpanRelation], Hashable]
) -> NDArray[np.int64]:
    """Equal keys, each gold one matched once."""
    return _counts((Counter(map(key, gold)) & Counter(map(key, found))).total(), found, gold)


def _right_exact(gold: Sequence[SpanRelation], found: Sequence[SpanRelation]) -> int:
    waiting: dict[Hashable, list[SpanRelation]] = defaultdict(list)
    for one in gold:
        waiting[one.arg1, one.arg2].append(one)
    right = 0
    for one in found:
        same = waiting[one.arg1, one.arg2]
        for other in same:
            stated = EXPLICIT in (one.kind, other.kind)
            if _same_sense(other, one) and (not stated or one.connective == other.connective):
                same.remove(other)
                right += 1
                break
    return right


def _same_sense(gold: SpanRelation, found: SpanRelation) -> bool:
    return bool(found.senses) and found.senses[0] in gold.senses


def span_f1(one: Tokens, other: Tokens) -> float:
    """``2 |A ∩ B| / (|A| + |B|)``; 0 if nothing is shared."""
    both = len(one & other)
    return 2 * both / (len(one) + len(other)) if both else 0.0


def _mean_f1(gold: SpanRelation, found: SpanRelation) -> float:
    """The mean of both arguments' F1; 0 if one of them shares nothing."""
    first, second = span_f1(gold.arg1, found.arg1), span_f1(gold.arg2, found.arg2)
    return (first + second) / 2 if first and second else 0.0


def align(gold: Sequence[SpanRelation], found: Sequence[SpanRelation]) -> list[tuple[int, int]]:
    """Pairs (gold, found) one to one, none below the cutoff, whose mean F1 have the largest sum."""
    scores = np.array([[_mean_f1(one, other) for other in found] for one in gold])
    scores = scores.reshape(len(gold), len(found))
    # Relations with the same arguments have equal scores. Then the last gold ones are aligned, and the first
    # found ones, both in their order.
    row, column = np.ogrid[: len(gold), : len(found)]
    among_equals = 1e-9 * (row - column) + 1e-12 * row * column
    rows, columns = best_assignment(np.where(scores >= CUTOFF, scores + among_equals, 0.0))
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return [(g, p) for g, p in pairs if scores[g, p] >= CUTOFF]


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
