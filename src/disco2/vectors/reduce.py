"""Fewer dimensions, then zero mean and unit variance: what the model's leaves look like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.errors import VectorsError
from disco2.threads import single_threaded

Doubles = NDArray[np.float64]
_ROWS_AT_A_TIME = 4096  # so that what is made on the way stays in the processor's cache


@dataclass(frozen=True, eq=False)
class Reduction:
    """x -> ((x - centre) W - mean) / deviation, from D dimensions to K; without W, (x - mean) / deviation.

    All that is needed to reduce the same table again, to the same digits.
    """

    mean: Doubles  # [K]
    deviation: Doubles  # [K]; zero for a column without variance, which becomes zero
    centre: Doubles | None = None  # [D]
    axes: Doubles | None = None  # [D, K]: W, the principal axes

    @single_threaded()
    def __call__(self, matrix: NDArray[np.floating]) -> NDArray[np.float32]:
        """Shapes: [n, D] -> [n, K]. Everything but the result is in double precision."""
        reduced = np.empty((len(matrix), len(self.mean)), dtype=np.float32)
        constant = self.deviation == 0
        divisor = np.where(constant, 1.0, self.deviation)
        for begin in range(0, len(matrix), _ROWS_AT_A_TIME):
            rows = matrix[begin : begin + _ROWS_AT_A_TIME].astype(np.float64)
            if self.axes is not None and self.centre is not None:
                rows = (rows - self.centre) @ self.axes
            rows -= self.mean
            rows /= divisor
            rows[:, constant] = 0.0
            reduced[begin : begin + len(rows)] = rows
        return reduced


def reduce(matrix: NDArray[np.float32], *, dimensions: int) -> NDArray[np.float32]:
    """Principal components, if there are more columns than ``dimensions``; standardised in any case.

    Shapes: [n, D] -> [n, dimensions]. Mean and variance are over the n rows (LeCun et al. 2012).
    """
    return find_reduction(matrix, dimensions=dimensions)(matrix)


@single_threaded()  # or the last digit depends on the number of threads
def find_reduction(matrix: NDArray[np.float32], *, dimensions: int) -> Reduction:
    """What ``reduce`` does to this matrix."""
    size = matrix.shape[1]
    if dimensions < 1:
        raise VectorsError(f"Vectors can't have {dimensions} dimensions.", hint="Ask for at least one.")
    if dimensions > size:
        raise VectorsError(
            f"{dimensions} dimensions were asked for, the word vectors have {size}.",
            hint=f"Ask for {size} or fewer, or choose larger vectors.",
        )
    values = matrix.astype(np.float64)
    if dimensions == size:
        return Reduction(*mean_and_deviation(values))
    centre = values.mean(axis=0)
    axes = principal_axes(values - centre, dimensions=dimensions)
    return Reduction(*mean_and_deviation((values - centre) @ axes), centre, axes)


def principal_axes(centred: Doubles, *, dimensions: int) -> Doubles:
    """The leading eigenvectors of the covariance, [D, dimensions], the largest first; ``centred``: [n, D].

    An eigenvector's sign is arbitrary; here its largest entry is positive, so that every run agrees.
    """
    covariance = centred.T @ centred / len(centred)
    _, eigenvectors = np.linalg.eigh(covariance)  # ascending eigenvalues
    axes = eigenvectors[:, ::-1][:, :dimensions]
    largest = np.abs(axes).argmax(axis=0)
    signed: Doubles = axes * np.where(axes[largest, np.arange(dimensions)] < 0, -1.0, 1.0)
    return signed


def mean_and_deviation(values: Doubles) -> tuple[Doubles, Doubles]:
    """Of each column; the deviation is zero where it is no more than rounding leaves."""
    mean = values.mean(axis=0)
    deviation = (values - mean).std(axis=0)
    constant = deviation <= 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0)))
    return mean, np.where(constant, 0.0, deviation)
