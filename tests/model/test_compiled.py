"""Compiled code against its NumPy twins, on trees of every shape. Without numba there is nothing to test."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from disco2.data.batch import Batch, collate
from disco2.model.network import backward, compose, fastest_composer, forward, is_compiled, is_installed
from disco2.model.parameters import PAIR_SCALINGS, ModelSettings, Parameters, initial_parameters
from disco2.training.loop import LOSSES, NUMPY, fastest_arithmetic
from tests.generated import random_example
from tests.model.test_network import SHAPES

pytest.importorskip("numba")
pytest.importorskip("scipy")

LABELS, FEATURES, VOCABULARY = 4, 12, 30
CLOSE = 1e-5
MODELS = [
    *(ModelSettings(K=6, rank=rank, pairs=pairs) for rank in (0, 1, 2) for pairs in PAIR_SCALINGS),
    ModelSettings(kind="upward", K=7),
    ModelSettings(kind="upward", K=1, features=False),
    ModelSettings(K=50),
    ModelSettings(K=130),  # too wide for small blocks
]
ONE_WORD_EACH = [((1, 1), 0, 1), ((1, 1), 1, 1)]
LONG = [((150, 1), 1, 2), ((300, 40), 3, 100), ((20, 500), 1, 60)]


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISCO2_COMPILED", raising=False)


def parameters_of(settings: ModelSettings, *, seed: int = 0) -> Parameters:
    generator = np.random.default_rng(seed)
    found = initial_parameters(settings, labels=LABELS, features=FEATURES, seed=seed)
    return {
        name: value + generator.normal(0, 0.3 / settings.K**0.5, size=value.shape).astype(np.float32)
        for name, value in found.items()
    }


def vectors_of(settings: ModelSettings) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(VOCABULARY, settings.K)).astype(np.float32)


def batch_of(shapes: list, *, seed: int = 0) -> Batch:
    generator = np.random.default_rng(seed)
    return collate(
        [
            random_example(
                generator,
                words=words,
                vocabulary=VOCABULARY,
                labels=LABELS,
                features=FEATURES,
                chains=chains,
                mentions=mentions,
            )[0]
            for words, chains, mentions in shapes
        ]
    )


@pytest.mark.parametrize("settings", MODELS, ids=str)
def test_scores_and_gradients_are_numpys(settings: ModelSettings) -> None:
    """One composer for all batches: what is left of one must not show in the next, larger or smaller."""
    parameters, vectors, composer = parameters_of(settings), vectors_of(settings), fastest_composer("f4")
    assert composer is not compose
    shapes = [SHAPES, ONE_WORD_EACH, SHAPES * 40, LONG, SHAPES[:1], SHAPES[3:4]]
    for seed, some in enumerate(shapes):
        batch = batch_of(some, seed=seed)
        plain = forward(settings, parameters, vectors, batch)
        fast = forward(settings, parameters, vectors, batch, composer=composer)
        np.testing.assert_allclose(fast.scores, plain.scores, rtol=CLOSE, atol=CLOSE)
        d_scores = LOSSES["logistic"](plain.scores, batch)[1]
        found = backward(settings, parameters, batch, fast, d_scores)
        for name, expected in backward(settings, parameters, batch, plain, d_scores).items():
            np.testing.assert_allclose(
                found[name], expected, rtol=0, atol=CLOSE * (1 + np.abs(expected).max(initial=0))
            )


def test_tanh() -> None:
    from disco2.model.compiled import tanh_rows

    x = np.concatenate([np.linspace(-12, 12, 200_001), np.geomspace(1e-30, 1, 999), [0, np.inf, -np.inf]])
    found = x.astype(np.float32).reshape(-1, 1)
    exact = np.tanh(found.astype(np.float64))
    tanh_rows(found)
    assert np.abs(found - exact).max() < 5e-7
    assert np.abs(found).max() <= 1
    lost = np.array([[np.nan]], dtype=np.float32)
    tanh_rows(lost)
    assert np.isnan(lost[0, 0])


@pytest.mark.parametrize("rows", [0, 1, 15, 127, 128, 129, 3000])
@pytest.mark.parametrize("K", [3, 50, 130])
def test_a_product_in_blocks_is_the_product(rows: int, K: int) -> None:
    from disco2.model.compiled import multiply_transposed

    generator = np.random.default_rng(rows)
    left = generator.normal(size=(rows, K)).astype(np.float32)
    right = generator.normal(size=(rows, 2 * K)).astype(np.float32)
    out, partial = np.full((K, 2 * K), np.nan, dtype=np.float32), np.empty((K, 2 * K), dtype=np.float32)
    multiply_transposed(left, right, partial, out)
    np.testing.assert_allclose(out, left.T @ right, rtol=1e-4, atol=1e-3)


def test_a_runaway_stays_visible() -> None:
    settings = ModelSettings(K=6)
    parameters, vectors, batch = parameters_of(settings), vectors_of(settings), batch_of(SHAPES)
    parameters["U"][0, 0] = np.nan
    assert np.isnan(
        forward(settings, parameters, vectors, batch, composer=fastest_composer("f4")).scores
    ).any()


def test_when_compiled_code_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_compiled(np.float32)
    assert not is_compiled(np.float64)
    assert fastest_composer("f4", np.float16) is compose
    parameters = {"U": np.ones((3, 6), dtype=np.float32)}
    assert fastest_arithmetic(parameters) is not NUMPY
    assert fastest_arithmetic({"U": parameters["U"].astype(np.float64)}) is NUMPY
    for off in ("OFF", "0"):
        monkeypatch.setenv("DISCO2_COMPILED", off)
        assert not is_compiled(np.float32)
    assert fastest_composer("f4") is compose


def test_indices_outside_a_table_are_errors_as_in_numpy() -> None:
    settings = ModelSettings(K=6)
    parameters, vectors, batch = parameters_of(settings), vectors_of(settings), batch_of(SHAPES)
    for words in (np.full_like(batch.words, VOCABULARY), np.full_like(batch.words, -VOCABULARY - 1)):
        for composer in (compose, fastest_composer("f4")):
            with pytest.raises(IndexError):
                forward(settings, parameters, vectors, replace(batch, words=words), composer=composer)


def test_a_numba_that_does_not_work_is_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("disco2.model.network.log.warning", lambda message, *_: said.append(message))
    monkeypatch.setitem(sys.modules, "disco2.model.compiled", None)  # importing it fails
    is_installed.cache_clear()
    try:
        assert not is_compiled(np.float32)
    finally:
        is_installed.cache_clear()
    assert len(said) == 1
    assert "NumPy does the same" in said[0]
