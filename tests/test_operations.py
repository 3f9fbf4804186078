"""The instrument itself: it counts what it should, and sees work that grows too fast."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operations import ArrayWork, array_bytes, array_work, python_steps


@pytest.mark.parametrize(
    ("work", "elements", "products"),
    [
        (lambda a, b: a @ b, 0, 5 * 4 * 3),
        (lambda a, b: np.matmul(a, b, out=np.empty((5, 3))), 15, 5 * 4 * 3),
        (lambda a, b: a.dot(b), 0, 5 * 4 * 3),
        (lambda a, b: np.dot(a, b, np.empty((5, 3))), 15, 5 * 4 * 3),
        (lambda a, b: np.einsum("ij,jk->ik", a, b), 0, 5 * 4 * 3),
        (lambda a, b: np.tanh(a), 20, 0),
        (lambda a, b: a + 1, 20, 0),
        (lambda a, b: a.sum(), 20, 0),
        (lambda a, b: a[1:3].T.reshape(2, 4)[:, None], 8 + 8, 0),  # a transposed matrix is copied
        (lambda a, b: a[1:3][:, None], 0, 0),  # views are free
        (lambda a, b: a[np.array([0, 0, 4])], 3 + 12, 0),
        (lambda a, b: a.__setitem__(slice(2), 0), 8, 0),
        (lambda a, b: np.concatenate([a, a]), 20 + 20 + 40, 0),
        (lambda a, b: a.take([1, 2], axis=0), 8, 0),
        (lambda a, b: np.take(a, [1, 2], axis=0), 8, 0),
        (lambda a, b: np.sort(a.reshape(-1)), 20 * 5 + 20, 0),
        (lambda a, b: np.zeros(7).copy(), 7 + 14, 0),
        (lambda a, b: np.add.outer(a, b), 20 * 12, 0),
        (lambda a, b: np.add.reduceat(a, [0, 2], axis=0), 20, 0),
        (lambda a, b: np.add.at(a, [0, 0], 1.0), 2, 0),
    ],
)
def test_what_is_counted(work, elements: int, products: int) -> None:
    assert array_work(work, np.ones((5, 4)), np.ones((4, 3))) == ArrayWork(elements, products)


def test_results_are_those_of_numpy() -> None:
    given = np.random.default_rng(0).normal(size=(6, 4))

    def work(array):
        halves = np.empty((6, 2))
        halves[:, 0] = array[:, :2].sum(axis=1)
        halves[:, 1] = np.square(array).max(axis=1)
        order = np.argsort(halves[:, 0], kind="stable")
        found.append(np.array((halves[order] @ array[:2, :2]).tolist()))

    found: list[np.ndarray] = []
    work(given)
    array_work(work, given)
    np.testing.assert_array_equal(*found)


def test_steps_are_counted_in_loops_of_any_form() -> None:
    def loop(count: int) -> int:
        total = 0
        for number in range(count):
            total += number
        return total

    for work in (loop, lambda n: [i for i in range(n)], lambda n: sum(i for i in range(n))):  # noqa: C416
        small, large = (python_steps(lambda n=n, work=work: work(n)) for n in (1_000, 2_000))
        assert large - small >= 1_000
        assert 1.9 < large / small < 2.01


def test_a_sum_over_pairs_grows_with_their_number() -> None:
    def plain(first, second):
        return sum((first[i] * second[j]).sum() for i in range(len(first)) for j in range(len(second)))

    def at_once(first, second):
        return (first @ second.T).sum()

    for work in (plain, at_once):
        small, large = (array_work(work, np.ones((n, 3)), np.ones((n, 3))) for n in (10, 20))
        assert large.elements == 4 * small.elements
    assert large.products == 4 * small.products


def test_bytes_of_records() -> None:
    assert array_bytes({"a": [np.zeros(3)], "b": (np.zeros(2, dtype=np.int32), 5)}) == 24 + 8
