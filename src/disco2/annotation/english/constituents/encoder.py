"""A bidirectional LSTM in NumPy (Hochreiter & Schmidhuber 1997; Graves & Schmidhuber 2005).

    i, f, o = sigmoid(W x_t + U h_{t-1} + b),  g = tanh(the same with its own W, U, b)
    c_t = f c_{t-1} + i g,   h_t = o tanh(c_t)

A batch holds sentences in falling order of length, packed by position: all first tokens, then the second
tokens of those that have one, and so on. No padding is computed, and both directions run as one: the backward
one over the same packing of the reversed sentences.

Sentences are columns: a product with the weights on its left takes BLAS down to half the time that the other
order takes, most of all for few sentences, and each gate of a step is a contiguous block. W x is computed for
several steps at once, enough for the product to run at full speed and few enough to stay in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]

TOGETHER = 256  # tokens whose inputs are multiplied in one go


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

    def groups(self, *, to_the_end: bool) -> Iterator[list[tuple[int, int]]]:
        """Neighbouring steps with about ``TOGETHER`` tokens; a step is its first packed place and its tokens.

        Unless ``to_the_end``, the last token of each sentence has no part.
        """
        group: list[tuple[int, int]] = []
        tokens = first = 0
        for count, following in pairwise([*self.active.tolist(), 0]):
            taking_part = count if to_the_end else following
            if taking_part:
                group.append((first, taking_part))
                tokens += taking_part
            if tokens >= TOGETHER or (group and not following):
                yield group
                group, tokens = [], 0
            first += count


@dataclass(frozen=True, slots=True)
class BiLSTMLayer:
    """One layer as it is stored; the first axis of all weights is the direction: forward, backward."""

    inputs: Floats  # [2, D, 4 H], gates in the order i, f, g, o
    recurrent: Floats  # [2, H, 4 H]
    bias: Floats  # [2, 4 H]

    def prepared(self) -> PreparedLayer:
        """The same layer in the form in which it runs.

        The gates stand in the order i, f, o, g. sigmoid(z) = (1 + tanh(z / 2)) / 2, so with the weights of i,
        f and o halved one tanh serves all gates; and as 2 h is at hand and not h, U is halved once more.
        """
        return PreparedLayer(
            inputs=_gates_first(self.inputs),
            recurrent=_gates_first(0.5 * self.recurrent),
            bias=_gates_first(self.bias[:, None, :]),
        )


def _gates_first(weights: Floats) -> Floats:
    """[2, rows, 4 H] with gates i, f, g, o -> [2, 4 H, rows] with gates i / 2, f / 2, o / 2, g."""
    i, f, g, o = np.split(weights, 4, axis=2)
    gates = np.concatenate([0.5 * i, 0.5 * f, 0.5 * o, g], axis=2)
    return np.ascontiguousarray(gates.transpose(0, 2, 1), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class PreparedLayer:
    """One layer as it runs; gates in the order i, f, o, g."""

    inputs: Floats  # [2, 4 H, D]
    recurrent: Floats  # [2, 4 H, H]
    bias: Floats  # [2, 4 H, 1]

    def run(
        self, tokens: Floats, packing: Packing, *, which: Rows | None = None, to_the_end: bool = True
    ) -> Floats:
        """Packed inputs [N, D] -> packed outputs [N, 2 H].

        With ``which``, the input at packed place p is row which[p] of ``tokens``, which then need not hold
        any row twice. Unless ``to_the_end``, each direction leaves out the last token that it comes to, whose
        half of the outputs is 0.
        """
        hidden, most, places = self.recurrent.shape[2], int(packing.active[0]), len(packing.rows)
        known = None if which is None else np.matmul(self.inputs, tokens.T) + self.bias
        gate_space = np.empty(2 * 4 * hidden * most, dtype=np.float32)
        doubled = np.zeros((2, places, hidden), dtype=np.float32)  # 2 h
        cell = state = np.zeros((2, hidden, most), dtype=np.float32)  # c and 2 h of the step before
        for group in packing.groups(to_the_end=to_the_end):
            rows = np.concatenate([np.arange(first, first + count) for first, count in group])
            both = (rows, packing.turned[rows])
            inputs = np.empty((2, 4 * hidden, len(rows)), dtype=np.float32)
            for direction, at in enumerate(both):
                if known is None or which is None:
                    np.matmul(self.inputs[direction], tokens[at].T, out=inputs[direction])
                else:
                    np.take(known[direction], which[at], axis=1, out=inputs[direction], mode="clip")
            if known is None:
                inputs += self.bias
            done = 0
            for first, count in group:
                gates = gate_space[: 2 * 4 * hidden * count].reshape(2, 4 * hidden, count)
                now = inputs[:, :, done : done + count]
                if first:
                    np.matmul(self.recurrent, state[:, :, :count], out=gates)
                    gates += now
                    np.tanh(gates, out=gates)
                else:
                    np.tanh(now, out=gates)
                gates[:, : 3 * hidden] += 1.0
                i, f, o, g = (gates[:, gate * hidden : (gate + 1) * hidden] for gate in range(4))
                cell = cell[:, :, :count] * f
                i *= g
                cell += i
                cell *= 0.5
                state = o * np.tanh(cell)
                doubled[:, first : first + count] = state.transpose(0, 2, 1)
                done += count
        outputs = np.empty((places, 2 * hidden), dtype=np.float32)
        np.multiply(doubled[0], 0.5, out=outputs[:, :hidden])
        np.multiply(doubled[1][packing.turned], 0.5, out=outputs[:, hidden:])
        return outputs
