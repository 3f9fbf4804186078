"""Batched scores against the recursive twin, and hand-derived gradients against central differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.data.batch import collate
from disco2.model.network import Masks, backward, forward
from disco2.model.parameters import PAIR_SCALINGS, PAPER_KINDS, ModelSettings, initial_parameters
from disco2.training.loop import LOSSES, large_margin
from tests.generated import random_example
from tests.model.recursive import recursive_scores
from tests.model.recursive_gradient import recursive_gradients

LABELS, FEATURES, VOCABULARY = 4, 12, 30

# words in each argument, chains, mentions of a chain: one-word arguments, mentions at the root, several
# mentions of one chain, several chains on the same nodes, and no chain at all
SHAPES = [((1, 1), 1, 1), ((1, 7), 2, 3), ((9, 4), 3, 5), ((6, 6), 0, 1), ((2, 15), 2, 2), ((25, 3), 1, 4)]


def build(settings: ModelSettings, seed: int = 0):
    generator = np.random.default_rng(seed)
    made = [
        random_example(
            generator,
            words=words,
            vocabulary=VOCABULARY,
            labels=LABELS,
            features=FEATURES,
            chains=chains,
            mentions=mentions,
        )
        for words, chains, mentions in SHAPES
    ]
    parameters = initial_parameters(settings, labels=LABELS, features=FEATURES, seed=seed, dtype=np.float64)
    for value in parameters.values():  # nothing at zero, so that every term counts
        value += generator.normal(0, 0.3, size=value.shape)
    vectors = generator.normal(size=(VOCABULARY, settings.K))
    return made, parameters, vectors


def every_model() -> list[ModelSettings]:
    models = [
        ModelSettings(kind=kind, features=features, K=7, rank=2)
        for kind in PAPER_KINDS
        for features in (False, True)
        if features or kind != "surface"
    ]
    models += [
        ModelSettings(kind="entities", K=4, rank=rank, pairs=pairs)
        for rank in (0, 1)
        for pairs in PAIR_SCALINGS
    ]
    return models


def some_masks(settings: ModelSettings) -> Masks:
    kept = np.random.default_rng(5).random((2, len(SHAPES), settings.K)) >= 0.4
    first, second = kept / 0.6
    return first, second


@pytest.mark.parametrize("settings", every_model(), ids=str)
def test_batched_scores_equal_the_recursive_ones(settings: ModelSettings) -> None:
    made, parameters, vectors = build(settings)
    batch = collate([example for example, *_ in made])
    batched = forward(settings, parameters, vectors, batch).scores
    plain = [recursive_scores(settings, parameters, vectors, *parts) for parts in made]
    np.testing.assert_allclose(batched, plain, rtol=1e-10, atol=1e-12)
    if not settings.uses_vectors:
        return
    masks = some_masks(settings)
    batched = forward(settings, parameters, vectors, batch, masks=masks).scores
    plain = [
        recursive_scores(settings, parameters, vectors, *parts, masks=(first, second))
        for parts, first, second in zip(made, *masks, strict=True)
    ]
    np.testing.assert_allclose(batched, plain, rtol=1e-10, atol=1e-12)
    assert not np.allclose(batched, forward(settings, parameters, vectors, batch).scores)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("settings", every_model(), ids=str)
def test_gradients_equal_central_differences(settings: ModelSettings, masked: bool, loss: str) -> None:
    if masked and not settings.uses_vectors:
        return
    masks = some_masks(settings) if masked else None
    made, parameters, vectors = build(settings, seed=1)
    batch = collate([example for example, *_ in made])

    def value() -> float:
        return LOSSES[loss](forward(settings, parameters, vectors, batch, masks=masks).scores, batch)[0]

    done = forward(settings, parameters, vectors, batch, masks=masks)
    gradients = backward(settings, parameters, batch, done, LOSSES[loss](done.scores, batch)[1])
    assert gradients.keys() == parameters.keys()
    step = 1e-6
    for name, parameter in parameters.items():
        numeric = np.zeros_like(parameter)
        for place in np.ndindex(parameter.shape):
            kept = parameter[place]
            parameter[place] = kept + step
            above = value()
            parameter[place] = kept - step
            below = value()
            parameter[place] = kept
            numeric[place] = (above - below) / (2 * step)
        scale = max(np.linalg.norm(numeric), np.linalg.norm(gradients[name]), 1e-8)
        assert np.linalg.norm(numeric - gradients[name]) / scale < 1e-6, name


def test_neighbours_and_order_in_a_batch_make_no_difference() -> None:
    settings = ModelSettings(K=7)
    made, parameters, vectors = build(settings)
    examples = [example for example, *_ in made]
    together = forward(settings, parameters, vectors, collate(examples)).scores
    alone = np.concatenate([forward(settings, parameters, vectors, collate([e])).scores for e in examples])
    backwards = forward(settings, parameters, vectors, collate(examples[::-1])).scores[::-1]
    np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(together, backwards, rtol=1e-12, atol=1e-14)


def test_zero_initialisation_leaves_the_low_rank_factors_without_a_gradient() -> None:
    settings = ModelSettings(K=7, initialisation="zero")
    made, _, vectors = build(settings)
    parameters = initial_parameters(settings, labels=LABELS, features=FEATURES, seed=0, dtype=np.float64)
    batch = collate([example for example, *_ in made])
    done = forward(settings, parameters, vectors, batch)
    gradients = backward(settings, parameters, batch, done, LOSSES["large-margin"](done.scores, batch)[1])
    assert not any(gradients[name].any() for name in ("A1", "A2", "B1", "B2"))
    assert gradients["A3"].any()
    assert gradients["B3"].any()


MODELS = [
    *(ModelSettings(K=7, rank=rank, pairs=pairs) for pairs in PAIR_SCALINGS for rank in (0, 1, 2)),
    ModelSettings(K=7, features=False),
    ModelSettings(kind="upward", K=7),
]


@pytest.mark.parametrize("one_pass", [False, True], ids=["label by label", "one pass back"])
@pytest.mark.parametrize("settings", MODELS, ids=str)
def test_batched_gradients_equal_the_recursive_ones(settings: ModelSettings, one_pass: bool) -> None:
    made, parameters, vectors = build(settings, seed=2)
    made = [
        (replace(example, weight=0.25 * (1 + number)), *rest) for number, (example, *rest) in enumerate(made)
    ]
    batch = collate([example for example, *_ in made])
    done = forward(settings, parameters, vectors, batch)
    loss, d_scores = large_margin(done.scores, batch)
    assert 0 < np.count_nonzero(d_scores) < d_scores.size, "some labels violate the margin, some do not"
    batched = backward(settings, parameters, batch, done, d_scores)
    plain_loss, plain = recursive_gradients(settings, parameters, vectors, made, one_pass=one_pass)
    assert plain_loss == pytest.approx(loss, rel=1e-12)
    assert batched.keys() == plain.keys()
    for name, value in plain.items():
        np.testing.assert_allclose(batched[name], value, rtol=1e-10, atol=1e-12, err_msg=name)
