"""The batched gradients against those that walk node by node, as the paper derives them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.data.batch import collate
from disco2.model.network import backward, forward
from disco2.model.settings import PAIR_SCALINGS, ModelSettings
from disco2.training.optimiser import large_margin
from tests.model.recursive_gradient import recursive_gradients
from tests.model.test_network import build

MODELS = [
    *(ModelSettings(K=5, rank=rank, pairs=pairs) for pairs in PAIR_SCALINGS for rank in (0, 1, 2)),
    ModelSettings(K=5, features=False),
    ModelSettings(kind="upward", K=5),
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
