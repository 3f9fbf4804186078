"""The scorer of spans against the formula, one span at a time."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from disco2.annotation.english.constituents import network as module
from disco2.annotation.english.constituents.network import EPSILON, SpanScorer


@pytest.fixture
def stored() -> SpanScorer:
    random = np.random.default_rng(8)
    shapes = {
        "starts": (4, 6),
        "ends": (4, 6),
        "bias": (6,),
        "gain": (6,),
        "shift": (6,),
        "outputs": (3, 6),
        "output_bias": (3,),
    }
    weights = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    weights["gain"][:3] = [0.0, 0.0, -0.7]
    weights["shift"][:3] = [0.4, -0.3, 0.2]
    return SpanScorer(**weights)


def slow_scores(
    stored: SpanScorer, begin: NDArray[np.float32], finish: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The scores of the labels of the span between two places."""
    vector = begin @ stored.starts + finish @ stored.ends + stored.bias
    vector = (vector - vector.mean()) / np.sqrt(vector.var() + EPSILON)
    return stored.outputs @ np.maximum(stored.gain * vector + stored.shift, 0.0) + stored.output_bias


@pytest.mark.parametrize("chunk", [1, 4, 2048])
def test_spans_are_scored_as_one_by_one(
    stored: SpanScorer, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHUNK", chunk)
    encoded = np.random.default_rng(9).normal(size=(8, 4)).astype(np.float32)
    starts, ends = np.triu_indices(8, k=1)
    prepared = stored.prepared()
    spans = (*prepared.places(encoded), starts, ends)
    expected = np.array(
        [slow_scores(stored, encoded[start], encoded[end]) for start, end in zip(starts, ends, strict=True)]
    )
    assert pytest.approx(expected, abs=1e-5) == np.concatenate(list(prepared.scores(*spans)), axis=1).T
    assert prepared.best_scores(*spans) == pytest.approx(expected.max(axis=1), abs=1e-5)
    assert prepared.best_labels(*spans).tolist() == expected.argmax(axis=1).tolist()
