"""Scores of all labels of a span, from what the encoder says at the two places where it begins and ends.

A sentence of n tokens has n + 1 places between and around its tokens. With p_i what the encoder's forward
half has read before place i and its backward half after it, the scores of the labels of the span (i, j) are

    O relu(g z + t) + c,   z = norm(A p_i + E p_j + b),   norm: less the mean, by the standard deviation.

The first layer is linear, so it is computed for places and not for spans: the differences of the two halves
of Stern, Andreas & Klein (2017) are the special case A = -E.

What is left to do for each span is as little as can be. relu(x + t) = max(x, -t) + t, so with s the sign of g

    O relu(g z + t) + c = (O |g|) max(s z, -t / |g|) + (c + O t):

the sign goes into A, E and b, the magnitude into O, and the passes for gain, shift and relu are one maximum.
The mean is linear too: it is taken off A, E and b beforehand.
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
    """The weights as they are stored; H2 is twice the encoder's hidden size, M the hidden size here."""

    starts: Floats  # A, [H2, M]
    ends: Floats  # E, [H2, M]
    bias: Floats  # b, [M]
    gain: Floats  # g, [M]
    shift: Floats  # t, [M]
    outputs: Floats  # O, [L, M] for L labels
    output_bias: Floats  # c, [L]

    def prepared(self) -> PreparedScorer:
        """The same scorer in the form in which it runs. A unit without gain is a constant in all scores."""
        sign = np.where(self.gain < 0.0, np.float32(-1.0), np.float32(1.0))
        magnitude = np.abs(self.gain)
        gainless = magnitude == 0.0
        added = np.where(gainless, np.maximum(self.shift, 0.0), self.shift)
        starts = self.starts - self.starts.mean(axis=1, keepdims=True)
        ends = self.ends - self.ends.mean(axis=1, keepdims=True)
        return PreparedScorer(
            sides=np.concatenate([starts * sign, ends * sign], axis=1),
            bias=(self.bias - self.bias.mean()) * sign,
            least=np.where(gainless, np.float32(0.0), -self.shift / np.where(gainless, 1.0, magnitude)),
            outputs=self.outputs * magnitude,
            output_bias=self.output_bias + self.outputs @ added,
        )


@dataclass(frozen=True, slots=True)
class PreparedScorer:
    """The weights as they are used; A, E and b have means of 0 over M."""

    sides: Floats  # s A and s E, [H2, 2 M]
    bias: Floats  # s b, [M]
    least: Floats  # -t / |g|, [M]
    outputs: Floats  # O |g|, [L, M]
    output_bias: Floats  # c + O t, [L]

    def places(self, encoded: Floats) -> tuple[Floats, Floats]:
        """s (A p + b) and s E p for all places [N, H2]."""
        size = len(self.bias)
        sides = encoded @ self.sides
        begins, finishes = sides[:, :size], sides[:, size:]
        begins += self.bias
        return begins, finishes

    def scores(self, begins: Floats, finishes: Floats, starts: Rows, ends: Rows) -> Iterator[Floats]:
        """Scores [L, S] of chunks of the spans between the places ``starts`` and ``ends``."""
        for first in range(0, len(starts), CHUNK):
            hidden = begins[starts[first : first + CHUNK]]
            hidden += finishes[ends[first : first + CHUNK]]
            variance = np.einsum("sm,sm->s", hidden, hidden) / np.float32(hidden.shape[1])
            hidden *= (1.0 / np.sqrt(variance + np.float32(EPSILON)))[:, None]
            np.maximum(hidden, self.least, out=hidden)
            found = self.outputs @ hidden.T
            found += self.output_bias[:, None]
            yield found

    def best_scores(self, begins: Floats, finishes: Floats, starts: Rows, ends: Rows) -> Floats:
        """The score of the best label of each span."""
        chunks = self.scores(begins, finishes, starts, ends)
        return np.concatenate([chunk.max(axis=0) for chunk in chunks])

    def best_labels(self, begins: Floats, finishes: Floats, starts: Rows, ends: Rows) -> Rows:
        """The best label of each span."""
        chunks = self.scores(begins, finishes, starts, ends)
        return np.concatenate([chunk.argmax(axis=0) for chunk in chunks])
