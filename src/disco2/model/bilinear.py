"""Bilinear scores of arguments and of aligned mentions, with their gradients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disco2.data.batch import Batch, Floats, MentionGroups


@dataclass(frozen=True, slots=True)
class Bilinear:
    """The matrices of all Y labels: ``first`` and ``second`` are [Y, R, K], ``diagonal`` is [Y, K]."""

    first: Floats
    second: Floats
    diagonal: Floats

    def scores(self, p: Floats, q: Floats) -> Floats:
        """p' A_y q for each row and label: [n, K], [n, K] -> [n, Y]."""
        left, right = self._projections(p, q)
        scores: Floats = (left * right).sum(axis=2) + (p * q) @ self.diagonal.T
        return scores

    def all_pairs(self, p: Floats, q: Floats) -> Floats:
        """p_i' A_y q_j for all rows i and j: [m, K], [n, K] -> [m, n, Y]."""
        left, right = self._projections(p, q)
        by_label = (p[None] * self.diagonal[:, None]) @ q.T  # [Y, m, n]
        by_label += left.transpose(1, 0, 2) @ right.transpose(1, 2, 0)
        return np.moveaxis(by_label, 0, 2)

    def gradients(self, p: Floats, q: Floats, d_scores: Floats) -> tuple[Bilinear, Floats, Floats]:
        """Gradients of the matrices (in this object's shape) and of p and q, given those of the scores."""
        labels, rank, K = self.first.shape
        left, right = self._projections(p, q)
        spread = d_scores[:, :, None]
        d_left = (spread * right).reshape(len(p), labels * rank)
        d_right = (spread * left).reshape(len(p), labels * rank)
        d_product = d_scores @ self.diagonal
        gradient = Bilinear(
            (d_left.T @ p).reshape(labels, rank, K),
            (d_right.T @ q).reshape(labels, rank, K),
            d_scores.T @ (p * q),
        )
        d_p = d_left @ self.first.reshape(labels * rank, K) + d_product * q
        d_q = d_right @ self.second.reshape(labels * rank, K) + d_product * p
        return gradient, d_p, d_q

    def _projections(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        labels, rank, K = self.first.shape
        left = (p @ self.first.reshape(labels * rank, K).T).reshape(len(p), labels, rank)
        right = (q @ self.second.reshape(labels * rank, K).T).reshape(len(q), labels, rank)
        return left, right


LISTED = 10  # mentions on each side of a link with more than LISTED x LISTED pairs


def sum_mentions(down: Floats, mentions: MentionGroups) -> Floats:
    """[links, K]: the sum of each link's mention vectors on one side."""
    return np.add.reduceat(down[mentions.rows], mentions.starts, axis=0)


def spread_to_mentions(d_sums: Floats, mentions: MentionGroups, d_down: Floats) -> None:
    """Backward pass: adds each link's gradient [links, K] to all its mentions' rows in ``d_down``."""
    d_down[mentions.distinct] += np.add.reduceat(d_sums[mentions.links_by_row], mentions.row_starts, axis=0)


def link_weights(batch: Batch, scaling: str, dtype: np.dtype[np.floating]) -> Floats:
    """[links, 1]: what a link's sum over pairs is multiplied by.

    "sum": 1, the paper's plain sum. "mean": one over the number of pairs in the whole relation.
    """
    pairs = batch.pair_counts
    if scaling == "sum":
        return np.ones((len(pairs), 1), dtype=dtype)
    in_relation = np.bincount(batch.link_examples, weights=pairs, minlength=batch.size)
    return (1 / in_relation[batch.link_examples]).astype(dtype)[:, None]


def link_terms(matrices: Bilinear, down: Floats, weights: Floats, batch: Batch) -> tuple[Floats, ...]:
    """For each link what its pairs add, [first mentions, second mentions, Y], weights included.

    Of a link with more than LISTED x LISTED pairs the first LISTED mentions on each side.
    """
    first, second = batch.first_mentions, batch.second_mentions
    if not len(weights):
        return ()
    most = np.where(batch.pair_counts > LISTED**2, LISTED, LISTED**2)
    return tuple(
        weight * matrices.all_pairs(down[rows[:listed]], down[others[:listed]])
        for rows, others, weight, listed in zip(
            np.split(first.rows, first.starts[1:]),
            np.split(second.rows, second.starts[1:]),
            weights,
            most,
            strict=True,
        )
    )
