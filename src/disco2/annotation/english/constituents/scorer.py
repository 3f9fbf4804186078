"""Scores of all labels of a span, from what the encoder says at the two places where it begins and ends.

A sentence of n tokens has n + 1 places between and around its tokens. With p_i what the encoder's forward
half has read before place i and its backward half after it, the scores of the labels of the span (i, j) are

    O relu(norm(A p_i + E p_j + b)) + c,    norm: layer normalisation with its own gain and shift.

The first layer is linear, so it is computed for places and not for spans: the differences of the two halves
of Stern, Andreas & Klein (2017) are the special case A = -E.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from disco2.annotation.english.constituents.encoder import Floats, Rows

EPSILON = 1e-5
CHUNK = 2048  # spans scored together: their hidden layer stays in the processor's cache


@dataclass(frozen=True, slots=True)
class SpanScorer:
    """The weights; H2 is twice the encoder's hidden size, M the hidden size here, L the number of labels."""

    starts: Floats  # A, [H2, M]
    ends: Floats  # E, [H2, M]
    bias: Floats  # b, [M]
    gain: Floats  # [M]
    shift: Floats  # [M]
    outputs: Floats  # O, [L, M]
    output_bias: Floats  # c, [L]

    def places(self, encoded: Floats) -> tuple[Floats, Floats]:
        """A p + b and E p for all places [N, H2], less their means over M, as the normalisation wants it."""
        begins = encoded @ self.starts + self.bias
        finishes = encoded @ self.ends
        begins -= begins.mean(axis=1, keepdims=True)
        finishes -= finishes.mean(axis=1, keepdims=True)
        return begins, finishes

    def scores(self, begins: Floats, finishes: Floats, starts: Rows, ends: Rows) -> Iterator[Floats]:
        """Scores [L, S] of chunks of the spans between the places ``starts`` and ``ends``."""
        size = self.outputs.shape[1]
        for first in range(0, len(starts), CHUNK):
            hidden = begins[starts[first : first + CHUNK]]
            hidden += finishes[ends[first : first + CHUNK]]
            variance = np.einsum("sm,sm->s", hidden, hidden) / size
            hidden *= (1.0 / np.sqrt(variance + EPSILON)).astype(np.float32)[:, None]
            hidden *= self.gain
            hidden += self.shift
            np.maximum(hidden, 0.0, out=hidden)
            found = self.outputs @ hidden.T
            found += self.output_bias[:, None]
            yield found

    def best_scores(self, begins: Floats, finishes: Floats, starts: Rows, ends: Rows) -> Floats:
        """The score of the best label of each span."""
        chunks = self.scores(begins, finishes, starts, ends)
        return np.concatenate([chunk.max(axis=0) for chunk in chunks])

    def best_labels(self, begins: Floats, finishes: Floats, starts: Rows, ends: Rows) -> tuple[Rows, Floats]:
        """The best label of each span, and its score."""
        chunks = list(self.scores(begins, finishes, starts, ends))
        labels = np.concatenate([chunk.argmax(axis=0) for chunk in chunks])
        return labels, np.concatenate([chunk.max(axis=0) for chunk in chunks])
