"""What scikit-learn hands on as y and sample_weight -> classes, a name for each, and weights."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from disco2.data import WITHOUT_SENSE
from disco2.interfaces.estimator.refusals import UnusableInputError

_TYPES: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}


@dataclass(frozen=True)
class Target:
    """The labels of the rows: sorted ``classes`` with the labels' own type, and ``numbers`` among them."""

    classes: NDArray[Any]
    numbers: NDArray[np.intp]

    @property
    def names(self) -> tuple[str, ...]:
        """The classes as a model calls them."""
        return names_of(self.classes)

    def of_rows(self, chosen: NDArray[np.bool_]) -> Target:
        """The labels of some of the rows."""
        present, numbers = np.unique(self.numbers[chosen], return_inverse=True)
        return Target(self.classes[present], numbers)

    def label_names(self) -> list[str]:
        names = self.names
        return [names[number] for number in self.numbers.tolist()]


def read_target(y: Any) -> Target:
    """The labels, one for each row; ValueError where they are no labels."""
    if y is None:
        raise UnusableInputError(
            "Disco2Classifier requires y to be passed, but the target y is None.", hint="Give the labels."
        )
    raw = np.asarray(y)
    if raw.dtype == object:
        _check_present(raw)
    labels = check_array(raw, ensure_2d=False, dtype=None, ensure_min_samples=0, input_name="y")
    labels = column_or_1d(labels, warn=True)
    if labels.dtype == object and len({type(label) for label in labels}) > 1:
        raise UnusableInputError(
            "The labels in y are of several types.", hint="Give only texts, or only numbers."
        )
    check_classification_targets(labels)
    classes, numbers = np.unique(labels, return_inverse=True)
    return Target(classes, numbers.reshape(-1))


def _check_present(labels: NDArray[Any]) -> None:
    """Raise ValueError where a label is None, NaN or pandas.NA."""
    for row, label in enumerate(labels.reshape(-1).tolist()):
        if label is None or type(label).__name__ == "NAType" or label != label:
            raise UnusableInputError(
                "There is no label, but None or NaN.", where=f"row {row} of y", hint="Leave the relation out."
            )


def check_classes(target: Target) -> None:
    """Raise ValueError unless there are two classes to tell apart, and a sense among them."""
    if len(target.classes) < 2:
        raise UnusableInputError(
            f"y has only one class ({', '.join(target.names)}); two are needed.",
            hint="Give relations of at least two classes.",
        )
    if WITHOUT_SENSE.issuperset(target.names):
        raise UnusableInputError(
            f"All classes are names for the absence of a sense: {', '.join(target.names)}.",
            hint="Give other names to these classes, or relations that have a sense as well.",
        )


def read_weights(sample_weight: Any, rows: int) -> NDArray[np.float64]:
    """One weight for each row, 1 where none are given."""
    if sample_weight is None:
        return np.ones(rows)
    if isinstance(sample_weight, Number):
        sample_weight = np.full(rows, sample_weight)
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.shape != (rows,):
        raise UnusableInputError(f"sample_weight has the shape {weights.shape} for {rows} relations.")
    if (weights < 0).any():
        raise UnusableInputError("Negative values in sample_weight.", hint="Weights are at least 0.")
    if not weights.any():
        raise UnusableInputError("All weights in sample_weight are zero.", hint="Leave sample_weight out.")
    found: NDArray[np.float64] = weights
    return found


def names_of(classes: NDArray[Any]) -> tuple[str, ...]:
    return tuple(map(str, classes.tolist()))


def type_name(classes: NDArray[Any]) -> str:
    """How a bundle records the type of the labels, which are texts there."""
    return type(classes.tolist()[0]).__name__


def classes_from(names: tuple[str, ...], kind: str) -> NDArray[Any]:
    """The classes whose names these are, sorted, with their old type; texts where it is not known."""
    if kind == "bool":
        return np.unique([name == str(True) for name in names])
    return np.unique([_TYPES.get(kind, str)(name) for name in names])
