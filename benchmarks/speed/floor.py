"""The floor: only the matrix products that a step can't do without, in their largest possible shapes.

Every product of one kind is made at once over all nodes of the batch, although the levels of trees must wait
for each other; operands lie ready, contiguous, in float32, and the result is written into its place. There is
no tanh, no gathering of children, no scattering, no loss, no update.

Left out, which makes the floor lower and the ratio to it worse for us:

- Nothing is computed for words, which are not trained: errors flow to inner children alone.
- Surface features are look-ups, a few dozen of hundreds of columns in each relation; so they are no product
  here. ``feature_products`` lists the dense ones, for a figure of its own.
- In scoring, the two halves ``U_left u`` and ``U_right u`` of every word of the vocabulary are computed once
  for a model, so leaf children are look-ups, and only inner children have a half product each.

Letters: K dimensions, Y labels, R rank, F columns of features; of a batch: n relations, ``inner`` nodes,
``children`` that are inner nodes, ``down`` nodes on the way to mentions, ``inner_siblings`` of these that are
inner nodes, ``links`` entities.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.speed.data import Workload
from disco2.data.batch import Example
from disco2.model import ModelSettings
from disco2.model.compiled import rows_at_a_time


@dataclass(frozen=True, slots=True)
class Product:
    """[rows, shared] x [shared, columns], with its purpose."""

    name: str
    rows: int
    shared: int
    columns: int

    @property
    def operations(self) -> int:
        """Multiplications and additions."""
        return 2 * self.rows * self.shared * self.columns


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the products of a batch depend on."""

    n: int
    inner: int
    children: int
    down: int
    inner_siblings: int
    links: int
    labels: int
    features: int

    @classmethod
    def of(cls, examples: Sequence[Example], *, labels: int, features: int) -> Sizes:
        trees = [tree for one in examples for tree in (one.first, one.second)]
        return cls(
            n=len(examples),
            inner=sum(len(tree.left) for tree in trees),
            children=sum(
                int((side >= len(tree.words)).sum()) for tree in trees for side in (tree.left, tree.right)
            ),
            down=sum(len(tree.downward.nodes) for tree in trees if tree.downward is not None),
            inner_siblings=sum(
                int((tree.downward.siblings >= len(tree.words)).sum())
                for tree in trees
                if tree.downward is not None
            ),
            links=sum(len(one.links) for one in examples),
            labels=labels,
            features=features,
        )

    @classmethod
    def of_batches(cls, workload: Workload, batch: int) -> list[Sizes]:
        """Those of all whole batches of so many relations."""
        examples = [one.example for one in workload.made]
        labels, features = workload.parameters["beta"].shape
        return [
            cls.of(examples[begin : begin + batch], labels=labels, features=features)
            for begin in range(0, len(examples) - batch + 1, batch)
        ]


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


def looked_up(products: Sequence[Product], sizes: Sizes, settings: ModelSettings) -> list[Product]:
    """The same where siblings that are words are look-ups: in scoring V's half, in training its error."""
    K = settings.K
    training = any(one.name == "up, gradient of U" for one in products)
    both = "down, errors to parents and siblings" if training else "down"
    return [
        *(one for one in products if one.name != both),
        Product(f"{both}, parents", sizes.down, K, K),
        Product(f"{both}, inner siblings", sizes.inner_siblings, K, K),
    ]


def in_blocks(products: Sequence[Product]) -> list[Product]:
    """Every product as several, of as many rows as the compiled code multiplies at a time."""
    return [part for one in products for part in _blocks(one)]


def _blocks(product: Product) -> list[Product]:
    summed = product.shared > product.columns and product.shared > product.rows  # over all nodes: a gradient
    length = product.shared if summed else product.rows
    others = product.operations // (2 * length) if length else 1
    block = rows_at_a_time(others)
    sizes = [min(block, length - begin) for begin in range(0, length, block)]
    if summed:
        return [replace(product, shared=size) for size in sizes]
    return [replace(product, rows=size) for size in sizes]


def feature_products(sizes: Sizes, *, gradients: bool) -> list[Product]:
    """The surface features as dense products: not part of the floor."""
    products = [Product("features", sizes.n, sizes.features, sizes.labels)]
    if gradients:
        products.append(Product("features, gradient of beta", sizes.labels, sizes.n, sizes.features))
    return products


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


def products_alone(batches: Sequence[Sequence[Product]], *, seed: int = 1) -> Callable[[], None]:
    """A function that makes the products of all batches, one batch after the other, and does nothing else.

    Products of one name have their memory in common, as in a program that keeps its buffers: fresh operands
    for every batch would make the floor wait for memory, and look lower than it is.
    """
    draw = np.random.default_rng(seed)
    made = [one for batch in batches for one in batch if one.operations]
    room = {
        one.name: tuple(
            draw.standard_normal(max(size(other) for other in made if other.name == one.name), np.float32)
            for size in (_left, _right, _out)
        )
        for one in {one.name: one for one in made}.values()
    }

    def operands(one: Product) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        left, right, out = room[one.name]
        return (
            left[: _left(one)].reshape(one.rows, one.shared),
            right[: _right(one)].reshape(one.shared, one.columns),
            out[: _out(one)].reshape(one.rows, one.columns),
        )

    ready = [operands(one) for one in made]

    def run() -> None:
        for left, right, out in ready:
            np.matmul(left, right, out=out)

    return run


def _left(product: Product) -> int:
    return product.rows * product.shared


def _right(product: Product) -> int:
    return product.shared * product.columns


def _out(product: Product) -> int:
    return product.rows * product.columns
