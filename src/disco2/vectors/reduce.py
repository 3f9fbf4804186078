"""Fewer dimensions, then zero mean and unit variance: what the model's leaves look like."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disco2.errors import VectorsError


def reduce(matrix: NDArray[np.float32], *, dimensions: int) -> NDArray[np.float32]:
    """Principal components, if there are more columns than ``dimensions``; standardised in any case.

    Shapes: [n, D] -> [n, dimensions]. Mean and variance are over the n rows (LeCun et al. 2012).
    """
    size = matrix.shape[1]
    if dimensions < 1:
        raise VectorsError(f"Vectors can't have {dimensions} dimensions.", hint="Ask for at least one.")
    if dimensions > size:
        raise VectorsError(
            f"{dimensions} dimensions were asked for, the word vectors have {size}.",
            hint=f"Ask for {size} or fewer, or choose larger vectors.",
        )
    values = matrix.astype(np.float64)
    if dimensions < size:
        values = principal_components(values, dimensions=dimensions)
    return standardise(values).astype(np.float32)


def principal_components(values: NDArray[np.float64], *, dimensions: int) -> NDArray[np.float64]:
    """The projection ``(X - mean) W`` on the leading eigenvectors of the covariance, the largest first.

    An eigenvector's sign is arbitrary; here its largest entry is positive, so that every run agrees.
    """
    centred = values - values.mean(axis=0)
    covariance = centred.T @ centred / len(values)
    _, eigenvectors = np.linalg.eigh(covariance)  # ascending eigenvalues
    axes = eigenvectors[:, ::-1][:, :dimensions]
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.where(axes[largest, np.arange(dimensions)] < 0, -1.0, 1.0)
    projected: NDArray[np.float64] = centred @ axes
    return projected


def standardise(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Zero mean and unit variance for each column; a column without variance becomes zero."""
    centred = values - values.mean(axis=0)
    deviation = centred.std(axis=0)
    constant = deviation <= 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0)))
    standard: NDArray[np.float64] = np.where(constant, 0.0, centred / np.where(constant, 1.0, deviation))
    return standard
