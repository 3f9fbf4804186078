"""disco2 as a scikit-learn estimator: fit, predict and cross-validate on pairs of texts."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from reprlib import repr as shorten
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from disco2.errors import InputError, MissingExtraError, SettingsError

if find_spec("sklearn") is None:
    raise MissingExtraError("scikit-learn", "sklearn", "The scikit-learn estimator")

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import assert_all_finite, check_array, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Annotators, Layer
from disco2.bundle import read_manifest, save_bundle
from disco2.corpora.tasks import Task
from disco2.data import WITHOUT_SENSE, Corpus, Instance, RelationKind
from disco2.experiments.configuration import Configuration, names
from disco2.experiments.division import Parts
from disco2.experiments.train_run import BundleRecord, record_of, train_model
from disco2.inference.candidates import GivenPair
from disco2.inference.pipeline import ModelInfo, Pipeline, load
from disco2.model.parameters import check_finite
from disco2.model.probabilities import Calibration
from disco2.shipped import find_model
from disco2.training.fit import Fitted

COLUMNS = ["arg1", "arg2"]
PAIRS_AT_ONCE = 64
MOST_PAIRS = 20_000  # that are kept with all their layers: some 200 megabytes
CLASSES = "classes"  # key of the classes in a bundle, whose labels are strings

_TRAINING = ("epochs", "patience", "batch_size", "loss", "dropout", "development_share")
_RATES = ("rate_upward", "rate_downward", "rate_features", "rate_classification", "rate_entities")
SETTING_OF = {  # parameter -> setting of ``disco2 train``
    **{name: f"model.{name}" for name in ("kind", "features", "K", "members")},
    "vectors": "vectors.source",
    **{name: f"training.{name}" for name in (*_TRAINING, *_RATES)},
}
SEED = "training.seed"


class EstimatorError(SettingsError, ValueError):
    """Invalid pairs, labels or parameters; also a ValueError, as scikit-learn expects."""


@contextmanager
def as_value_errors() -> Iterator[None]:
    """Convert InputError and SettingsError to EstimatorError; errors about files stay as they are."""
    try:
        yield
    except InputError as error:
        if type(error) not in (InputError, SettingsError):
            raise
        raise EstimatorError(error.what, where=error.where, hint=error.hint) from error


def read_pairs(X: Any) -> list[GivenPair]:
    """The rows of X: a list or array of pairs of texts, or a table with the columns arg1 and arg2."""
    if set(COLUMNS) <= set(getattr(X, "columns", ())):
        X = X[COLUMNS]
    rows = check_array(X, dtype=object, ensure_all_finite=False, input_name="X").tolist()
    found = []
    for number, row in enumerate(rows):
        where = f"row {number} of X"
        if len(row) != 2 or not all(isinstance(text, str) for text in row):
            raise InputError(
                f"{shorten(row)} is not a pair of texts.",
                where=where,
                hint='Give pairs such as [("It rained.", "We left."), ...], or a table with the columns arg1 '
                "and arg2.",
            )
        try:
            found.append(GivenPair(*row))
        except InputError as error:
            raise InputError(error.what, where=where, hint=error.hint) from None
    return found


@cache
def open_annotators(choice: AnnotatorChoice) -> Annotators:
    """The annotators of a choice, once per process."""
    annotators = choice.open(on_demand=True)
    atexit.register(annotators.close)
    return annotators


@dataclass(frozen=True)
class AnnotatorsOnDemand:
    """The annotators of a choice, opened at first use: only the choice is copied or sent to processes."""

    choice: AnnotatorChoice

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what pickle and copy look for
            raise AttributeError(name)
        return getattr(open_annotators(self.choice), name)


# The relations of recent pairs. Cross-validation and searches annotate the same pairs again and again, which
# takes longer than training.
MEMORY: dict[tuple[AnnotatorChoice, GivenPair], Instance] = {}
_ANNOTATING = Lock()  # annotators may not be thread-safe


def annotate_pairs(pairs: Sequence[GivenPair], choice: AnnotatorChoice) -> list[Instance]:
    """A relation with all layers for each pair, in order."""
    with _ANNOTATING:
        waiting = [pair for pair in dict.fromkeys(pairs) if (choice, pair) not in MEMORY]
        for begin in range(0, len(waiting), PAIRS_AT_ONCE):
            some = waiting[begin : begin + PAIRS_AT_ONCE]
            made = open_annotators(choice).annotate([pair.document() for pair in some], layers=ALL_LAYERS)
            for pair, document in zip(some, made, strict=True):
                MEMORY[choice, pair] = pair.candidate(document).instance
        found = [MEMORY[choice, pair] for pair in pairs]
        while len(MEMORY) > MOST_PAIRS:
            del MEMORY[next(iter(MEMORY))]  # the oldest
        return found


def read_labels(y: Any, rows: Sequence[object]) -> tuple[NDArray[Any], list[str]]:
    """The sorted classes of y in their own type, and the label of each row as a string."""
    labels = column_or_1d(y, warn=True)
    check_consistent_length(rows, labels)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    encoder = LabelEncoder().fit(labels)  # TypeError for texts among numbers
    class_names = names_of(encoder.classes_)
    return encoder.classes_, [class_names[number] for number in encoder.transform(labels).tolist()]


def names_of(classes: NDArray[Any]) -> tuple[str, ...]:
    """The classes as labels of a model, which are strings."""
    return tuple(map(str, classes.tolist()))


@dataclass(kw_only=True, eq=False, repr=False)  # scikit-learn compares and shows estimators
class Disco2Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Discourse relations, or any other labels, of pairs of texts.

    X holds pairs of texts: a list or tuple of pairs, an array with two columns, or a table of pandas with the
    columns arg1 and arg2. The ``annotators`` make their layers: the built-in English ones, or those of an
    ``AnnotatorChoice``. y holds labels of any kind.

    The parameters are settings of ``disco2 train`` and have its defaults. ``settings`` holds any others by
    name, such as ``{"features.production_rules": 50}``; those of the task have no effect, as X and y define
    it. ``random_state`` is what ``--seed`` is; None draws another seed at each fit. A share of the pairs,
    ``development_share``, is held out for early stopping and to fit the temperature of the probabilities.

    After ``fit``: ``classes_``; ``pipeline_``, which can explain its answers; ``record_``, the metadata of a
    bundle.
    """

    kind: str = "entities"
    features: bool = True
    K: int = 100
    members: int = 1
    vectors: str | Path = "shipped"
    epochs: int = 30
    patience: int = 6
    batch_size: int = 64
    loss: str = "large-margin"
    dropout: float = 0.0
    rate_upward: float = 0.02
    rate_downward: float = 0.003
    rate_features: float = 0.01
    rate_classification: float = 0.02
    rate_entities: float = 0.003
    development_share: float = 0.2
    settings: Mapping[str, object] | None = None
    annotators: AnnotatorChoice | None = None
    random_state: int | np.random.RandomState | None = 1

    classes_: NDArray[Any] = field(init=False)
    pipeline_: Pipeline = field(init=False)
    record_: BundleRecord = field(init=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on pairs and their labels. Pairs with the ``sample_weight`` 0 are left out."""
        with as_value_errors():
            configuration, choice = self._configuration(), self.annotators or AnnotatorChoice()
            pairs = read_pairs(X)
            classes, labels = read_labels(y, pairs)
            weights: NDArray[np.float64] = _check_sample_weight(
                sample_weight, np.empty((len(pairs), 1)), dtype=np.float64, ensure_non_negative=True
            )
            present = sorted({labels[row] for row in np.flatnonzero(weights > 0)})
            if len(present) < 2 or WITHOUT_SENSE.issuperset(present):
                what = f"y has only one class, or none with a sense: {', '.join(present)}."
                raise InputError(what, hint="Give at least two classes, one of which is not EntRel or NoRel.")
            training = [
                _with_label(instance, label, weight)
                for instance, label, weight in zip(
                    annotate_pairs(pairs, choice), labels, weights.tolist(), strict=True
                )
                if weight > 0
            ]
            learned, record = _train(
                training, names_of(classes), configuration, annotators=open_annotators(choice).name
            )
        self.classes_ = classes
        self.record_ = replace(record, data=record.data | {CLASSES: classes.tolist()})
        self.pipeline_ = Pipeline(
            AnnotatorsOnDemand(choice),
            learned.model,
            Calibration(**record.calibration),
            info=ModelInfo(name=type(self).__name__, licence=str(record.data["licence"])),
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The best class of each pair."""
        best = self._scores(X).argmax(axis=1)  # first: it raises if there was no fit
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of all classes, in the order of ``classes_``, at the fitted temperature."""
        scores = self._scores(X)
        return self.pipeline_.calibration.probabilities(scores).astype(np.float64, copy=False)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """psi of each class [n, classes]; of two classes, by how much the second beats the first [n]."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write a bundle, which ``disco2.load``, ``disco2 predict`` and ``disco2 serve`` can use.

        A bundle that is already there is replaced. ``force`` also replaces one that was changed since.
        """
        check_is_fitted(self)
        save_bundle(self.pipeline_.model, Path(path), **vars(self.record_), force=force)

    @classmethod
    def load(cls, model: str | Path, *, annotators: AnnotatorChoice | None = None) -> Disco2Classifier:
        """A fitted estimator from a model, by a name or folder as in ``disco2.load``."""
        with as_value_errors():
            on_demand: Any = AnnotatorsOnDemand(annotators or AnnotatorChoice())
            pipeline = load(model, annotators=on_demand)
            manifest = read_manifest(find_model(model))
            configuration, usual = Configuration.from_json(manifest.configuration), Configuration()
        own = {*SETTING_OF.values(), SEED}
        settings = {
            name: value
            for name in names()
            if not (name in own or name.startswith("task."))
            and (value := attrgetter(name)(configuration)) != attrgetter(name)(usual)
        }
        found = cls(
            **{parameter: attrgetter(setting)(configuration) for parameter, setting in SETTING_OF.items()},
            settings=settings or None,
            annotators=annotators,
            random_state=configuration.training.seed,
        )
        found.classes_ = np.array(manifest.data.get(CLASSES) or sorted(pipeline.model.labels))
        found.pipeline_ = pipeline
        found.record_ = BundleRecord(
            manifest.configuration, manifest.task, manifest.data, manifest.figures, manifest.calibration
        )
        return found

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """psi of each class, in the order of ``classes_``."""
        check_is_fitted(self)
        model = self.pipeline_.model
        with as_value_errors():
            scores = model.scores(annotate_pairs(read_pairs(X), self.annotators or AnnotatorChoice()))
        columns = [model.labels.index(name) for name in names_of(self.classes_)]
        found: NDArray[np.float64] = scores[:, columns].astype(np.float64)
        return found

    def _configuration(self) -> Configuration:
        """All settings of the training: the parameters, ``settings`` and ``random_state``."""
        generator = check_random_state(self.random_state)  # raises for an invalid one
        seed = self.random_state  # an integer has the same meaning as --seed
        if not isinstance(seed, int | np.integer):
            seed = generator.randint(np.iinfo(np.int32).max)
        named = {setting: getattr(self, parameter) for parameter, setting in SETTING_OF.items()}
        values = named | {SEED: int(seed)} | dict(self.settings or {})
        return Configuration().changed({name: _plain_value(value) for name, value in values.items()})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        # A table of two texts is one too, but this tag promises to take numbers.
        tags.input_tags.two_d_array = False
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """What is worth sending to another process: the model without what it keeps for speed."""
        state: dict[str, Any] = dict(super().__getstate__())
        if fitted := state.get("pipeline_"):
            state["pipeline_"] = Pipeline(
                fitted.annotators, replace(fitted.model), fitted.calibration, info=fitted.info
            )
        return state


def _with_label(instance: Instance, label: str, weight: float) -> Instance:
    """The kind of the relation follows its label, so that calibration works as for a corpus."""
    if label in WITHOUT_SENSE:
        instance = replace(instance, relation=replace(instance.relation, kind=RelationKind(label)))
    return replace(instance, gold=(label,), weight=weight)


def _train(
    training: Sequence[Instance], labels: tuple[str, ...], configuration: Configuration, *, annotators: str
) -> tuple[Fitted, BundleRecord]:
    """Train with early stopping on a share of the pairs."""
    documents = {id(one.document): one.document for one in training}  # all have the same identifier
    relations = [one.relation for one in training]
    corpus = Corpus(
        "pairs",
        inventory="free",
        documents={str(number): document for number, document in enumerate(documents.values())},
        relations=tuple(relations),
        automatic=tuple(layer.value for layer in Layer),
        annotators=annotators,
    )
    parts = Parts(
        Task("pairs", level=0, labels=labels, minimum=1),  # labels are not split at dots
        protocol="own",
        labels=labels,
        relations={"train": relations, "dev": []},
        instances={"train": list(training), "dev": []},
        dropped={},
    )
    fitted = train_model(corpus, parts, configuration)
    check_finite(fitted.model.parameters)
    return fitted, record_of(fitted, parts, configuration, corpus)


def _plain_value(value: object) -> object:
    """A value as settings have it: searches draw NumPy numbers, and a file may be given as a path."""
    if isinstance(value, np.generic):
        return value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else value
