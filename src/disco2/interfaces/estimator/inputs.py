"""X, y and sample_weight as scikit-learn passes them -> pairs of texts or relations, labels, weights."""

from __future__ import annotations

import atexit
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from reprlib import repr as shorten
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from disco2.annotation.annotator import ALL_LAYERS, Annotator, AnnotatorChoice, Annotators, Layer, Layers
from disco2.data import WITHOUT_SENSE, Corpus, Document, Instance
from disco2.errors import InputError, SettingsError
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.inference.candidates import GivenPair
from disco2.inference.prediction import Prediction

COLUMNS = ["arg1", "arg2"]
PAIRS_AT_ONCE = 64
MOST_PAIRS = 20_000  # that are kept with all their layers: some 200 megabytes
_HINT = 'Give pairs of texts, such as [("It rained.", "We left."), ...], or relations.'


class UnusableInputError(InputError, ValueError):
    """Invalid relations, labels or weights; also a ValueError, as scikit-learn expects."""


class UnusableSettingsError(SettingsError, ValueError):
    """An invalid parameter of the estimator; also a ValueError, as scikit-learn expects."""


@contextmanager
def as_value_errors() -> Iterator[None]:
    """Convert InputError and SettingsError to the classes above; errors about files stay as they are."""
    try:
        yield
    except SettingsError as error:
        if isinstance(error, ValueError):
            raise
        raise UnusableSettingsError(error.what, where=error.where, hint=error.hint) from error
    except InputError as error:
        if type(error) is not InputError:
            raise
        raise UnusableInputError(error.what, where=error.where, hint=error.hint) from error


def read_relations(X: Any) -> list[GivenPair] | list[Instance]:
    """The rows of X: either all pairs of texts, or all relations.

    X is a list, tuple, array, or a table or column of pandas. A table has the columns arg1 and arg2, or
    exactly two columns. A relation is an ``Instance``, or a ``Prediction`` of a pipeline.
    """
    rows = rows_of(X)
    found = [row.source if isinstance(row, Prediction) else row for row in rows]
    instances = [row for row in found if isinstance(row, Instance)]
    if not instances:
        return [_pair(row, number) for number, row in enumerate(rows)]
    if len(instances) < len(rows):
        others = len(rows) - len(instances)
        raise UnusableInputError(f"X mixes {len(instances)} relations with {others} other rows.", hint=_HINT)
    for relation in (instance.relation for instance in instances):
        if not relation.arg1.tokens or not relation.arg2.tokens:
            raise UnusableInputError(
                f"An argument of relation {relation.id} has no token.",
                where=relation.where,
                hint="Leave it out, or annotate its document first.",
            )
    return instances


def rows_of(X: Any) -> list[Any]:
    """One item for each row of X."""
    columns = list(getattr(X, "columns", ()))
    if set(COLUMNS) <= set(columns):
        X = X[COLUMNS]
    elif len(columns) > 2:
        raise UnusableInputError(
            f"X has {len(columns)} columns, but not both arg1 and arg2.",
            hint="Name the columns of the two arguments arg1 and arg2, or give only these two columns.",
        )
    try:
        rows = check_array(X, dtype=object, ensure_2d=False, ensure_all_finite=False, input_name="X")
    except (TypeError, ValueError) as error:
        raise UnusableInputError(f"X can't be used: {error}", hint=_HINT) from error
    return list(rows.ravel() if rows.ndim == 2 and rows.shape[1] == 1 else rows)


def _pair(row: Any, number: int) -> GivenPair:
    where = f"row {number} of X"
    is_pair = isinstance(row, Sequence | np.ndarray) and not isinstance(row, str | bytes) and len(row) == 2
    if not is_pair or not all(isinstance(text, str) for text in row):
        raise UnusableInputError(f"{shorten(row)} is not a pair of texts.", where=where, hint=_HINT)
    try:
        return GivenPair(str(row[0]), str(row[1]))
    except InputError as error:
        place = ", ".join(part for part in (where, error.where) if part)
        raise UnusableInputError(error.what, where=place, hint=error.hint) from None


class AnnotatorsOnDemand:
    """The annotators of a choice, opened at their first use.

    It holds only the choice, so that it can be copied and sent to other processes.
    """

    def __init__(self, choice: AnnotatorChoice) -> None:
        self.choice = choice

    @property
    def name(self) -> str:
        return _open_annotators(self.choice).name

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return _open_annotators(self.choice).requires

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        return _open_annotators(self.choice).annotate(documents, layers=layers)


@cache
def _open_annotators(choice: AnnotatorChoice) -> Annotators:
    """The annotators of a choice, once per process."""
    annotators = choice.open(on_demand=True)
    atexit.register(annotators.close)
    return annotators


def annotators_of(given: object) -> Annotator:
    """The annotators of a choice (None: the built-in English ones), or the given annotator."""
    if given is None or isinstance(given, AnnotatorChoice):
        return AnnotatorsOnDemand(given or AnnotatorChoice())
    if all(hasattr(given, name) for name in ("name", "requires", "annotate")) and not isinstance(given, type):
        annotator: Annotator = given  # type: ignore[assignment]  # it has the protocol's attributes
        return annotator
    raise UnusableSettingsError(
        f"annotators is of type {type(given).__name__}.",
        hint="Give None for the built-in English ones, an AnnotatorChoice, or an annotator.",
    )


class AnnotationMemory:
    """The relations of recent pairs, at most ``most`` of them.

    Cross-validation and searches annotate the same pairs again and again, which takes longer than training.
    """

    def __init__(self, *, most: int = MOST_PAIRS) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Instance] = OrderedDict()
        self._lock = RLock()  # annotators may not be thread-safe

    def relations(self, pairs: Sequence[GivenPair], annotators: Annotator) -> list[Instance]:
        """One relation for each pair, in order."""
        if isinstance(annotators, AnnotatorsOnDemand):
            maker: Hashable = annotators.choice
        else:
            maker = type(annotators), annotators.name  # the class: a notebook may define it again
        with self._lock:
            keys: list[Hashable] = [(maker, pair.arg1, pair.arg2) for pair in pairs]
            new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._kept}
            found = {key: self._kept.pop(key) for key in dict.fromkeys(keys) if key not in new}
            waiting = list(new.items())
            for begin in range(0, len(waiting), PAIRS_AT_ONCE):
                some = waiting[begin : begin + PAIRS_AT_ONCE]
                documents = annotators.annotate([pair.document() for _, pair in some], layers=ALL_LAYERS)
                for (key, pair), document in zip(some, documents, strict=True):
                    found[key] = pair.candidate(document).instance
            self._kept.update(found)  # the last ones used are the last ones dropped
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return [found[key] for key in keys]

    def clear(self) -> None:
        self._kept.clear()


MEMORY = AnnotationMemory()


def annotate_relations(
    given: Sequence[GivenPair] | Sequence[Instance], annotators: Annotator
) -> list[Instance]:
    """Relations unchanged; pairs annotated."""
    instances = [one for one in given if isinstance(one, Instance)]
    pairs = [one for one in given if isinstance(one, GivenPair)]
    return instances or MEMORY.relations(pairs, annotators)


def relations_of_pairs(X: object, *, annotators: object = None) -> list[Instance]:
    """Pairs of texts as annotated relations: annotate once, then fit many times.

    Useful if several processes cross-validate; otherwise each of them annotates the texts.
    """
    with as_value_errors():
        return annotate_relations(read_relations(X), annotators_of(annotators))


class LabelledRelations(NamedTuple):
    """Relations, their labels, and the documents they are from.

    If a relation has two senses, ``y`` has the first; ``X[i].gold`` has both.
    """

    X: list[Instance]
    y: NDArray[np.str_]
    groups: NDArray[np.str_]


def relations_of(
    corpus: Corpus, *, parts: str | Sequence[str] = "train", settings: Mapping[str, object] | None = None
) -> LabelledRelations:
    """The relations of some parts of a corpus that its default task includes.

    ``settings`` change the task, by the names of ``disco2 train``: ``{"task.level": 1}``. Relations of one
    document are similar: cross-validate with ``groups`` (GroupKFold, StratifiedGroupKFold), so that no
    document is in both training and test data.
    """
    with as_value_errors():
        names = [parts] if isinstance(parts, str) else list(parts)
        if others := [name for name in settings or {} if not name.startswith("task.")]:
            raise UnusableSettingsError(
                f"The setting '{others[0]}' is not a setting of the task.",
                hint="Give it to Disco2Classifier; here are task.level, task.minimum, task.protocol...",
            )
        found = divide(corpus, Configuration().changed(dict(settings or {}))).instances
        if unknown := [name for name in names if name not in found]:
            hint = f"Choose from: {', '.join(found)}."
            raise UnusableInputError(f"Unknown part '{unknown[0]}'.", where=corpus.name, hint=hint)
        X = [instance for name in names for instance in found[name]]
        if not X:
            raise UnusableInputError(
                f"The task includes no relation of {', '.join(names) or 'no part'}.",
                where=corpus.name,
                hint="See: disco2 corpus stats",
            )
    labels = [instance.gold[0] for instance in X]
    return LabelledRelations(X, np.array(labels), np.array([instance.document.id for instance in X]))


@dataclass(frozen=True)
class Target:
    """The labels of the rows: sorted ``classes`` of the labels' own type, and ``numbers`` among them."""

    classes: NDArray[Any]
    numbers: NDArray[np.int64]

    @property
    def names(self) -> tuple[str, ...]:
        """The classes as labels of a model, which are strings."""
        return names_of(self.classes)

    def label_names(self) -> list[str]:
        return [self.names[number] for number in self.numbers.tolist()]

    def check_classes(self, weights: NDArray[np.float64]) -> None:
        """Raise ValueError unless the rows of positive weight have two classes, one of them a sense."""
        present = [self.names[number] for number in np.unique(self.numbers[weights > 0]).tolist()]
        if len(present) < 2:
            raise UnusableInputError(
                f"y has only one class ({', '.join(present)}); two are needed.",
                hint="Give relations of at least two classes.",
            )
        if WITHOUT_SENSE.issuperset(present):
            raise UnusableInputError(
                f"All classes are names for the absence of a sense: {', '.join(present)}.",
                hint="Rename these classes, or add relations that have a sense.",
            )


def read_target(y: Any, *, rows: int) -> Target:
    """The labels of y, one for each row."""
    if y is None:
        raise UnusableInputError(
            "Disco2Classifier requires y to be passed, but the target y is None.", hint="Give the labels."
        )
    try:
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        encoder = LabelEncoder().fit(labels)
    except TypeError as error:  # None or NA among texts, or texts among numbers
        raise UnusableInputError(f"y can't be used: {error}", hint="Give only texts or numbers.") from error
    if rows != len(labels):
        raise UnusableInputError(
            f"X has {rows} relations and y has {len(labels)} labels.",
            hint="Give one label for each relation.",
        )
    return Target(encoder.classes_, encoder.transform(labels))


def read_weights(sample_weight: Any, rows: int) -> NDArray[np.float64]:
    """One weight for each row; default: 1."""
    weights: NDArray[np.float64] = _check_sample_weight(
        sample_weight, np.empty((rows, 1)), dtype=np.float64, ensure_non_negative=True
    )
    return weights


def names_of(classes: NDArray[Any]) -> tuple[str, ...]:
    return tuple(map(str, classes.tolist()))
