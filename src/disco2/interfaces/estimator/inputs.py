"""What scikit-learn hands on as X -> pairs of texts, or relations that have their layers already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from disco2.data import Instance
from disco2.errors import InputError
from disco2.inference.given_pair import GivenPair
from disco2.inference.prediction import Prediction
from disco2.interfaces.estimator.refusals import UnusableInputError

COLUMNS = ["arg1", "arg2"]
_HINT = 'Give pairs of texts, such as [("It rained.", "We left."), ...], or relations.'


def read_relations(X: object) -> list[GivenPair] | list[Instance]:
    """The rows of X, all of them pairs of texts or all of them relations.

    X is a list, tuple, array, or a table or column of pandas. A table has the columns arg1 and arg2, or just
    two columns. A relation is an ``Instance``, or a ``Prediction`` that the pipeline made.
    """
    return relations_in(rows_of(X))


def rows_of(X: Any) -> list[Any]:
    """One item for each row, whatever it is."""
    if hasattr(X, "toarray"):
        raise UnusableInputError("X is a sparse matrix; sparse data is not supported.", hint=_HINT)
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        X = _texts_of_table(X)
    elif hasattr(X, "__array__") and not isinstance(X, Sequence):
        X = np.asarray(X)
    if isinstance(X, np.ndarray):
        X = _rows_of_array(X)
    if isinstance(X, str | bytes | Mapping) or not (isinstance(X, Sized) and isinstance(X, Iterable)):
        raise UnusableInputError(f"X is {_described(X)}, not a sequence of relations.", hint=_HINT)
    rows = list(X)
    if not rows:
        raise UnusableInputError("Found 0 samples: there is no relation in X.", hint=_HINT)
    return rows


def relations_in(rows: Sequence[object]) -> list[GivenPair] | list[Instance]:
    """The rows as pairs, or as relations; ValueError where they are neither, or some of each."""
    instances = [found for row in rows if (found := _instance(row)) is not None]
    if len(instances) == len(rows):
        _check_tokens(instances)
        return instances
    if instances:
        raise UnusableInputError(
            f"X mixes {len(instances)} relations with {len(rows) - len(instances)} other rows.", hint=_HINT
        )
    return [_pair(row, number) for number, row in enumerate(rows)]


def _texts_of_table(X: Any) -> Any:
    """The two columns of texts of a table, or its one column of relations, as an array."""
    names = list(X.columns)
    if set(COLUMNS) <= set(names):
        return X[COLUMNS].to_numpy()
    if len(names) > 2:
        raise UnusableInputError(
            f"X has {len(names)} columns, and not both of arg1 and arg2 among them.",
            hint="Name the columns of the two arguments arg1 and arg2, or give these two columns alone.",
        )
    return X.to_numpy()


def _rows_of_array(X: Any) -> Any:
    if np.iscomplexobj(X):
        raise UnusableInputError("Complex data not supported: X has numbers where texts belong.", hint=_HINT)
    if X.ndim not in (1, 2):
        raise UnusableInputError(f"X has {X.ndim} dimensions.", hint=_HINT)
    if X.ndim == 1:
        return list(X)
    columns = X.shape[1]
    is_relations = columns == 1 and X.dtype == object
    if columns == 0 or (columns == 1 and not is_relations):
        raise UnusableInputError(
            f"Found {columns} feature(s) (shape={X.shape}) while a minimum of 2 is required.", hint=_HINT
        )
    return list(X[:, 0]) if is_relations else list(X)


def _instance(row: object) -> Instance | None:
    if isinstance(row, Prediction):
        return row.source
    return row if isinstance(row, Instance) else None


def _check_tokens(instances: Sequence[Instance]) -> None:
    for instance in instances:
        for name, argument in (("arg1", instance.relation.arg1), ("arg2", instance.relation.arg2)):
            if not argument.tokens:
                raise UnusableInputError(
                    f"The argument {name} of relation {instance.relation.id} has no token.",
                    where=instance.relation.where,
                    hint="Leave it out, or annotate its document first.",
                )


def _pair(row: Any, number: int) -> GivenPair:
    where = f"row {number} of X"
    if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray):
        raise UnusableInputError(f"It is {_described(row)}, not a pair of texts.", where=where, hint=_HINT)
    for name, text in zip(COLUMNS, row, strict=False):
        if not isinstance(text, str):
            raise UnusableInputError(
                f"Its {name} is {_described(text)}, not a text.", where=where, hint=_HINT
            )
    if len(row) != 2:
        raise UnusableInputError(f"A pair is two texts, not {len(row)}.", where=where, hint=_HINT)
    try:
        return GivenPair(str(row[0]), str(row[1]))
    except InputError as error:
        place = ", ".join(part for part in (where, error.where) if part)
        raise UnusableInputError(error.what, where=place, hint=error.hint) from None


def _described(value: object) -> str:
    """What something is, in a word or two."""
    if isinstance(value, float | np.floating):
        return "NaN" if np.isnan(value) else f"the number {value:g}"
    if isinstance(value, int | np.integer):
        return f"the number {value}"
    return "None" if value is None else f"of type {type(value).__name__}"
