"""Bilinear scores with low-rank-plus-diagonal matrices: A_y = sum_r a1_yr a2_yr' + diag(a3_y) (eq. 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disco2.model.arrays import Floats


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
