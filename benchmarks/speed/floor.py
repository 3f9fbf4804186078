"""The floor: only the matrix products that a step can't do without, in their largest possible shapes.

Every product of one kind is made at once over all nodes of the batch, although the levels of trees must wait
for each other; operands lie ready, contiguous, in float32, and the result is written into its place. There is
no tanh, no gathering of children, no scattering, no loss, no update.

Left out, which makes the floor lower and the ratio to it worse for us:

- Nothing is computed for words, which are not trained: errors flow to inner children alone.
- Surface features are look-ups, a few dozen of hundreds of columns in each relation; so they are no product
  here.
- In scoring, the two halves ``U_left u`` and ``U_right u`` of every word of the vocabulary are computed once
  for a model, so leaf children are look-ups, and only inner children have a half product each.

Letters: K dimensions, Y labels, R rank; of a batch: n relations, ``inner`` nodes, ``children`` that are inner
nodes, ``down`` nodes on the way to mentions, ``links`` entities.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from benchmarks.speed.data import Workload
from disco2.data.batch import Example
from disco2.model import ModelSettings


@dataclass(frozen=True, slots=True)
class Product:
    """[rows, shared] x [shared, columns], with its purpose."""

    name: str
    rows: int
    shared: int
    columns: int

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Those of the operands and of the result."""
        return (self.rows, self.shared), (self.shared, self.columns), (self.rows, self.columns)


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the products of a batch depend on."""

    n: int
    inner: int
    children: int
    down: int
    links: int
    labels: int

    @classmethod
    def of(cls, examples: Sequence[Example], *, labels: int) -> Sizes:
        trees = [tree for one in examples for tree in (one.first, one.second)]
        return cls(
            n=len(examples),
            inner=sum(len(tree.left) for tree in trees),
            children=sum(
                int((side >= len(tree.words)).sum()) for tree in trees for side in (tree.left, tree.right)
            ),
            down=sum(len(tree.downward.nodes) for tree in trees if tree.downward is not None),
            links=sum(len(one.links) for one in examples),
            labels=labels,
        )


def training_products(sizes: Sizes, settings: ModelSettings) -> list[Product]:
    """Forward and backward."""
    K = settings.K
    return [
        Product("up", sizes.inner, 2 * K, K),
        Product("up, errors to inner children", sizes.children, K, K),
        Product("up, gradient of U", K, sizes.inner, 2 * K),
        Product("down", sizes.down, 2 * K, K),
        Product("down, errors to parents and siblings", sizes.down, K, 2 * K),
        Product("down, gradient of V", K, sizes.down, 2 * K),
        *_bilinear("arguments", sizes.n, sizes.labels, settings, gradients=True),
        *_bilinear("links", sizes.links, sizes.labels, settings, gradients=True),
    ]


def scoring_products(sizes: Sizes, settings: ModelSettings) -> list[Product]:
    """Forward alone, with the vocabulary already pushed through U."""
    K = settings.K
    return [
        Product("up, halves of inner children", sizes.children, K, K),
        Product("down", sizes.down, 2 * K, K),
        *_bilinear("arguments", sizes.n, sizes.labels, settings, gradients=False),
        *_bilinear("links", sizes.links, sizes.labels, settings, gradients=False),
    ]


def _bilinear(
    name: str, rows: int, labels: int, settings: ModelSettings, *, gradients: bool
) -> list[Product]:
    """p' A_y q for all y: two projections and the diagonal; then by p, by q, by their product, and by A."""
    K, projected = settings.K, labels * settings.rank
    products = [
        Product(f"{name}, projected by a1", rows, K, projected),
        Product(f"{name}, projected by a2", rows, K, projected),
        Product(f"{name}, diagonal", rows, K, labels),
    ]
    if gradients:
        products += [
            Product(f"{name}, errors through a1", rows, projected, K),
            Product(f"{name}, errors through a2", rows, projected, K),
            Product(f"{name}, errors through the diagonal", rows, labels, K),
            Product(f"{name}, gradient of a1", projected, rows, K),
            Product(f"{name}, gradient of a2", projected, rows, K),
            Product(f"{name}, gradient of the diagonal", labels, rows, K),
        ]
    return products


def matrix_products(
    workload: Workload, batch: int, products: Callable[[Sizes, ModelSettings], list[Product]]
) -> Callable[[], None]:
    """A function that makes the products of all batches, one batch after the other, and does nothing else.

    Products of one name have their memory in common, as in a program that keeps its buffers: fresh operands
    for every batch would make the floor wait for memory, and look lower than it is.
    """
    draw = np.random.default_rng(1)
    labels = len(workload.parameters["beta"])
    sizes = [Sizes.of(portion, labels=labels) for portion in workload.portions(batch)]
    made = [one for size in sizes for one in products(size, workload.settings) if all(map(prod, one.shapes))]
    shapes_by_name: dict[str, list[tuple[tuple[int, int], ...]]] = {}
    for one in made:
        shapes_by_name.setdefault(one.name, []).append(one.shapes)
    room = {
        name: [draw.standard_normal(max(map(prod, shapes)), np.float32) for shapes in zip(*same, strict=True)]
        for name, same in shapes_by_name.items()
    }
    ready = [
        [place[: prod(shape)].reshape(shape) for place, shape in zip(room[one.name], one.shapes, strict=True)]
        for one in made
    ]

    def run() -> None:
        for left, right, out in ready:
            np.matmul(left, right, out=out)

    return run
