"""A bidirectional LSTM in NumPy (Hochreiter & Schmidhuber 1997; Graves & Schmidhuber 2005).

    i, f, o = sigmoid(W x_t + U h_{t-1} + b),  g = tanh(the same with its own W, U, b)
    c_t = f c_{t-1} + i g,   h_t = o tanh(c_t)

A batch holds sentences in falling order of length, packed by position: all first tokens, then the second
tokens of those that have one, and so on. No padding is computed, and both directions run as one: the backward
one over the same packing of the reversed sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Packing:
    """Where the tokens of a batch are.

    ``rows[offsets[b] + t]`` is the packed place of token t of sentence b; ``turned[p]`` the place of the
    token that stands at packed place p when all sentences are reversed; ``active[t]`` how many sentences have
    a token t.
    """

    rows: Rows
    offsets: Rows
    turned: Rows
    active: Rows

    @classmethod
    def of(cls, lengths: Sequence[int]) -> Packing:
        """The packing of sentences whose lengths never rise."""
        sizes = np.asarray(lengths, dtype=np.int64)
        steps = np.arange(sizes[0])
        active = (sizes[None, :] > steps[:, None]).sum(axis=1)
        firsts = np.concatenate([[0], np.cumsum(active)[:-1]])
        offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        sentence = np.repeat(np.arange(len(sizes)), sizes)
        position = np.arange(sizes.sum()) - offsets[sentence]
        rows = firsts[position] + sentence
        turned = np.empty_like(rows)
        turned[rows] = firsts[sizes[sentence] - 1 - position] + sentence
        return cls(rows, offsets, turned, active)


@dataclass(frozen=True, slots=True)
class BiLSTMLayer:
    """One layer; the first axis of all weights is the direction: forward, backward."""

    inputs: Floats  # [2, D, 4 H], gates in the order i, f, g, o
    recurrent: Floats  # [2, H, 4 H]
    bias: Floats  # [2, 4 H]

    def prepared(self) -> BiLSTMLayer:
        """The same layer with the weights of i, f and o halved.

        sigmoid(z) = (1 + tanh(z / 2)) / 2, so one tanh serves all gates.
        """
        hidden = self.recurrent.shape[1]
        half = np.full(4 * hidden, 0.5, dtype=np.float32)
        half[2 * hidden : 3 * hidden] = 1.0
        return BiLSTMLayer(self.inputs * half, self.recurrent * half, self.bias * half)

    def run(self, tokens: Floats, packing: Packing) -> Floats:
        """Packed inputs [N, D] -> packed outputs [N, 2 H]; the weights must be prepared."""
        hidden = self.recurrent.shape[1]
        gates = np.matmul(np.stack([tokens, tokens[packing.turned]]), self.inputs)
        gates += self.bias[:, None, :]
        outputs = np.empty((2, len(tokens), hidden), dtype=np.float32)
        cell = np.zeros((2, int(packing.active[0]), hidden), dtype=np.float32)
        state = np.zeros_like(cell)
        first = 0
        for count in packing.active.tolist():
            rows = slice(first, first + count)
            now = gates[:, rows]
            if first:
                now += np.matmul(state[:, :count], self.recurrent)
            np.tanh(now, out=now)
            i, f = now[..., :hidden], now[..., hidden : 2 * hidden]
            g, o = now[..., 2 * hidden : 3 * hidden], now[..., 3 * hidden :]
            cell = cell[:, :count]
            cell = 0.5 * ((f + 1.0) * cell + (i + 1.0) * g)
            state = np.multiply(o + 1.0, np.tanh(cell), out=outputs[:, rows])
            state *= 0.5
            first += count
        return np.concatenate([outputs[0], outputs[1][packing.turned]], axis=1)
