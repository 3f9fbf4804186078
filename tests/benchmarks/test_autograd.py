"""The PyTorch references compute what the product computes; only where PyTorch is installed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.speed.autograd import by_levels, node_by_node
from benchmarks.speed.generated import Recipe, generate
from benchmarks.speed.workload import Workload, generated_workload
from disco2.model.network import backward, forward
from disco2.training.optimiser import large_margin

RECIPE = Recipe(features=40, vocabulary=300)


def small(pairs: str) -> Workload:
    workload = generated_workload(12, K=6, recipe=RECIPE)
    return replace(
        workload,
        settings=replace(workload.settings, pairs=pairs),
        vectors=workload.vectors.astype(np.float64),
        parameters={name: value.astype(np.float64) for name, value in workload.parameters.items()},
    )


@pytest.mark.parametrize("gradients_of", [node_by_node, by_levels])
@pytest.mark.parametrize("pairs", ["mean", "sum"])
def test_the_gradients_equal_the_product_s(gradients_of, pairs: str) -> None:
    pytest.importorskip("torch")
    workload = small(pairs)
    (batch,) = workload.batches(12)
    assert len(batch.link_examples) > 3
    done = forward(workload.settings, workload.parameters, workload.vectors, batch)
    loss, d_scores = large_margin(done.scores, batch)
    expected = backward(workload.settings, workload.parameters, batch, done, d_scores)
    found_loss, found = gradients_of(
        workload.settings, workload.parameters, workload.vectors, workload.made
    )()
    assert found_loss == pytest.approx(loss, rel=1e-6)  # the product keeps weights in float32
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-12, err_msg=name)
    assert np.abs(expected["V"]).max() > 0


def test_relations_without_entities_have_no_gradient_below_the_root() -> None:
    pytest.importorskip("torch")
    workload = small("mean")
    alone = [one for one in generate(40, RECIPE) if not one.links][:5]
    for gradients_of in (node_by_node, by_levels):
        _, found = gradients_of(workload.settings, workload.parameters, workload.vectors, alone)()
        assert not found["V"].any()
        assert found["U"].any()
