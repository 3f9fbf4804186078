"""The packed encoder against one that takes a step at a time for one sentence in one direction."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from disco2.annotation.english.constituents.encoder import BiLSTMLayer, Packing

SIZES = [5, 3, 3, 1]


def slow_lstm(
    tokens: NDArray[np.float32],
    inputs: NDArray[np.float32],
    recurrent: NDArray[np.float32],
    bias: NDArray[np.float32],
) -> NDArray[np.float32]:
    hidden = recurrent.shape[0]
    state, cell = np.zeros(hidden), np.zeros(hidden)
    outputs = []
    for token in tokens:
        i, f, g, o = np.split(token @ inputs + state @ recurrent + bias, 4)
        i, f, o = (1 / (1 + np.exp(-gate)) for gate in (i, f, o))
        cell = f * cell + i * np.tanh(g)
        state = o * np.tanh(cell)
        outputs.append(state)
    return np.array(outputs)


def test_packed_sentences_are_encoded_as_one_by_one() -> None:
    random = np.random.default_rng(3)
    weights = [random.normal(size=shape).astype(np.float32) for shape in ((2, 4, 12), (2, 3, 12), (2, 12))]
    layer = BiLSTMLayer(*weights)
    sentences = [random.normal(size=(size, 4)).astype(np.float32) for size in SIZES]
    packing = Packing.of(SIZES)
    packed = np.empty((sum(SIZES), 4), dtype=np.float32)
    packed[packing.rows] = np.concatenate(sentences)
    found = layer.prepared().run(packed, packing)[packing.rows]
    for sentence, offset in zip(sentences, packing.offsets, strict=True):
        forward = slow_lstm(sentence, *(weight[0] for weight in weights))
        backward = slow_lstm(sentence[::-1], *(weight[1] for weight in weights))[::-1]
        expected = np.concatenate([forward, backward], axis=1)
        assert found[offset : offset + len(sentence)] == pytest.approx(expected, abs=1e-5)
