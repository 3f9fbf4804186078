"""The parameters of a bundle against its settings: compared by their shapes, none made for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.model import ModelSettings, RelationModel

MOST_DIMENSIONS = 10_000  # of word vectors: a model makes a row of them in use, stored or not
LARGEST = 1e5  # of values: what a score adds up is a product of four of them, and must stay a number

Shape = tuple[int, ...]


def parameter_shapes(settings: ModelSettings, *, labels: int, features: int) -> dict[str, Shape]:
    """The shape of every parameter that ``model.initial_parameters`` makes, of all members together."""
    K, rank = settings.K, settings.rank
    shapes: dict[str, Shape] = {}
    if settings.uses_vectors:
        shapes |= {"A1": (labels, rank, K), "A2": (labels, rank, K), "A3": (labels, K)}
    if settings.composes:
        shapes["U"] = (K, 2 * K)
    if settings.kind == "entities":
        shapes |= {"V": (K, 2 * K), "B1": (labels, rank, K), "B2": (labels, rank, K), "B3": (labels, K)}
    if settings.uses_features:
        shapes["beta"] = (labels, features)
    shapes["b"] = (labels,)
    stack = () if settings.members == 1 else (settings.members,)
    return {name: (*stack, *shape) for name, shape in shapes.items()}


def check_model(model: RelationModel) -> None:
    """Raise ValueError unless all parameters fit the model's settings, labels, vectors and features."""
    settings, found = model.settings, model.parameters
    if settings.K > MOST_DIMENSIONS:
        raise ValueError(f"its K is {settings.K}, and may be {MOST_DIMENSIONS} at most")
    if model.vectors.dimensions != settings.K:
        raise ValueError(f"its vectors have {model.vectors.dimensions} dimensions and not {settings.K}")
    if settings.uses_features and model.extractor is None:
        raise ValueError("it lacks its features")
    width = model.extractor.width if model.extractor else 0
    expected = parameter_shapes(settings, labels=len(model.labels), features=width)
    if further := found.keys() - expected.keys():
        raise ValueError(f"it has a parameter {min(further)!r}, which no such model has")
    for name, shape in expected.items():
        if found[name].shape != shape or found[name].dtype not in (np.float32, np.float64):
            raise ValueError(f"its parameter {name} has another shape or other numbers")
    check_numbers({f"parameter {name}": value for name, value in found.items()})


def check_numbers(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise ValueError where a value is not a number, or so large that scores would not be numbers."""
    for name, value in arrays.items():
        least, most = float(value.min(initial=0.0)), float(value.max(initial=0.0))
        if not (least >= -LARGEST and most <= LARGEST):
            raise ValueError(f"its {name} has values that are not numbers, or beyond {LARGEST:,.0f}")
