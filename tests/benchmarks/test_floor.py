"""The products of the floor, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.speed.floor import (
    Product,
    Sizes,
    feature_products,
    in_blocks,
    looked_up,
    products_alone,
    scoring_products,
    training_products,
)
from benchmarks.speed.generated import Recipe, generate
from disco2.data.batch import collate
from disco2.model import ModelSettings

LABELS, FEATURES = 3, 7
SIZES = Sizes(n=2, inner=10, children=6, down=4, inner_siblings=3, links=1, labels=LABELS, features=FEATURES)


def shapes(products: list[Product]) -> dict[str, tuple[int, int, int]]:
    return {one.name: (one.rows, one.shared, one.columns) for one in products}


def test_sizes_are_those_of_the_batch() -> None:
    examples = [one.example for one in generate(30, Recipe(features=20, vocabulary=50))]
    batch = collate(examples)
    sizes = Sizes.of(examples, labels=LABELS, features=FEATURES)
    leaves = len(batch.words)
    assert (sizes.n, sizes.inner) == (30, leaves - 60)
    # Every inner node is a child of another one, except the roots of trees that have one.
    roots = sum(len(tree.words) > 1 for one in examples for tree in (one.first, one.second))
    assert sizes.children == sizes.inner - roots
    assert sizes.links == len(batch.link_examples) > 0
    assert sizes.down > 0
    assert sizes.inner_siblings == int((batch.down_siblings >= leaves).sum()) > 0


def test_a_training_step_has_three_products_for_each_direction() -> None:
    found = shapes(training_products(SIZES, ModelSettings(K=5)))
    assert found["up"] == (10, 10, 5)
    assert found["up, errors to inner children"] == (6, 5, 5)
    assert found["up, gradient of U"] == (5, 10, 10)
    assert found["down"] == (4, 10, 5)
    assert found["down, errors to parents and siblings"] == (4, 5, 10)
    assert found["down, gradient of V"] == (5, 4, 10)
    assert found["arguments, projected by a1"] == (2, 5, LABELS)
    assert found["links, gradient of the diagonal"] == (LABELS, 1, 5)
    assert len(found) == 6 + 2 * 9


def test_scoring_multiplies_inner_children_alone_and_no_gradient() -> None:
    found = shapes(scoring_products(SIZES, ModelSettings(K=5, rank=2)))
    assert found["up, halves of inner children"] == (6, 5, 5)
    assert found["down"] == (4, 10, 5)
    assert found["arguments, projected by a2"] == (2, 5, 2 * LABELS)
    assert len(found) == 2 + 2 * 3


def test_siblings_that_are_words_can_be_looked_up() -> None:
    settings = ModelSettings(K=5)
    found = shapes(looked_up(scoring_products(SIZES, settings), SIZES, settings))
    assert "down" not in found
    assert found["down, parents"] == (4, 5, 5)
    assert found["down, inner siblings"] == (3, 5, 5)
    found = shapes(looked_up(training_products(SIZES, settings), SIZES, settings))
    assert found["down"] == (4, 10, 5)  # its input is needed for the gradient of V
    assert found["down, errors to parents and siblings, inner siblings"] == (3, 5, 5)


@pytest.mark.parametrize("K", [5, 50, 200])
def test_blocks_are_the_same_work(K: int) -> None:
    sizes = Sizes(
        n=64, inner=2100, children=2000, down=570, inner_siblings=200, links=40, labels=12, features=9
    )
    products = training_products(sizes, ModelSettings(K=K))
    blocks = in_blocks(products)
    assert sum(one.operations for one in blocks) == sum(one.operations for one in products)
    assert (len(blocks) > len(products)) == (K > 5)


def test_dense_features_are_a_figure_of_their_own() -> None:
    assert not any("features" in name for name in shapes(training_products(SIZES, ModelSettings(K=5))))
    assert [one.operations for one in feature_products(SIZES, gradients=True)] == [2 * 2 * 7 * 3] * 2


def test_the_products_are_made_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    multiply = products_alone(
        [[Product("one", 2, 3, 4), Product("none", 0, 3, 4)], [Product("one", 5, 6, 7)]]
    )
    matmul = np.matmul

    def noted(left: np.ndarray, right: np.ndarray, *, out: np.ndarray) -> np.ndarray:
        made.append((left.shape, right.shape))
        assert left.dtype == right.dtype == out.dtype == np.float32
        assert left.flags.c_contiguous
        assert right.flags.c_contiguous
        return matmul(left, right, out=out)

    monkeypatch.setattr(np, "matmul", noted)
    multiply()
    assert made == [((2, 3), (3, 4)), ((5, 6), (6, 7))]
