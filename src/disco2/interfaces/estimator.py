"""disco2 as a scikit-learn estimator: fit, predict and cross-validate on pairs of texts or relations."""

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
from typing import Any, NamedTuple, Self

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

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Annotators, Layer, Layers
from disco2.bundle import read_manifest, save_bundle
from disco2.corpora.tasks import Task
from disco2.data import WITHOUT_SENSE, Corpus, Document, Instance, RelationKind
from disco2.experiments.configuration import Configuration, names
from disco2.experiments.division import Parts, divide
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
_HINT = (
    'Give pairs of texts, such as [("It rained.", "We left."), ...], a table with the columns arg1 and arg2, '
    "or relations."
)

PAIRS, RELATIONS = "pairs", "relations"  # the corpus name in a bundle
CLASSES = "classes"  # key of the classes in a bundle, whose labels are strings

_RATES = ("rate_upward", "rate_downward", "rate_features", "rate_classification", "rate_entities")
_OF_TRAINING = ("epochs", "patience", "batch_size", "loss", "dropout", *_RATES, "development_share")
SETTING_OF = {  # parameter -> setting of ``disco2 train``
    **{name: f"model.{name}" for name in ("kind", "features", "K", "members")},
    "vectors": "vectors.source",
    **{name: f"training.{name}" for name in _OF_TRAINING},
}
SEED = "training.seed"
_PARAMETER_OF = {setting: parameter for parameter, setting in SETTING_OF.items()} | {SEED: "random_state"}


class UnusableInputError(InputError, ValueError):
    """Invalid relations, labels or weights; also a ValueError, as scikit-learn expects."""


class UnusableSettingsError(SettingsError, ValueError):
    """An invalid parameter of the estimator; also a ValueError, as scikit-learn expects."""


@contextmanager
def as_value_errors() -> Iterator[None]:
    """Convert InputError and SettingsError to the classes above; errors about files stay as they are."""
    try:
        yield
    except InputError as error:
        if type(error) not in (InputError, SettingsError):
            raise
        converted = UnusableSettingsError if isinstance(error, SettingsError) else UnusableInputError
        raise converted(error.what, where=error.where, hint=error.hint) from error


# X: pairs of texts, or relations


def read_relations(X: Any) -> list[GivenPair] | list[Instance]:
    """The rows of X, either all pairs of texts or all relations; see ``Disco2Classifier``."""
    if set(COLUMNS) <= set(getattr(X, "columns", ())):
        X = X[COLUMNS]
    try:
        rows = list(check_array(X, dtype=object, ensure_2d=False, ensure_all_finite=False, input_name="X"))
    except (TypeError, ValueError) as error:
        raise InputError(f"X can't be used: {error}", hint=_HINT) from error
    if not all(isinstance(row, Instance) for row in rows):
        return [_pair(row, f"row {number} of X") for number, row in enumerate(rows)]
    for relation in (instance.relation for instance in rows):
        if not relation.arg1.tokens or not relation.arg2.tokens:
            raise InputError(
                f"An argument of relation {relation.id} has no token.",
                where=relation.where,
                hint="Leave it out, or annotate its document first.",
            )
    return rows


def _pair(row: Any, where: str) -> GivenPair:
    is_pair = isinstance(row, Sequence | np.ndarray) and not isinstance(row, str | bytes) and len(row) == 2
    if not is_pair or not all(isinstance(text, str) for text in row):
        raise InputError(f"{shorten(row)} is not a pair of texts.", where=where, hint=_HINT)
    try:
        return GivenPair(str(row[0]), str(row[1]))
    except InputError as error:
        place = ", ".join(part for part in (where, error.where) if part)
        raise InputError(error.what, where=place, hint=error.hint) from None


class AnnotatorsOnDemand:
    """The annotators of a choice, opened at their first use.

    It holds only the choice, so that it can be copied and sent to other processes.
    """

    def __init__(self, choice: AnnotatorChoice | None) -> None:
        if not isinstance(choice, AnnotatorChoice | None):
            raise SettingsError(
                f"annotators is of type {type(choice).__name__}.",
                hint="Give None for the built-in English ones, or an AnnotatorChoice.",
            )
        self.choice = choice or AnnotatorChoice()

    @property
    def name(self) -> str:
        return open_annotators(self.choice).name

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return open_annotators(self.choice).requires

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        return open_annotators(self.choice).annotate(documents, layers=layers)


@cache
def open_annotators(choice: AnnotatorChoice) -> Annotators:
    """The annotators of a choice, once per process."""
    annotators = choice.open(on_demand=True)
    atexit.register(annotators.close)
    return annotators


# The relations of recent pairs, by annotators and texts. Cross-validation and searches annotate the same
# pairs again and again, which takes longer than training.
MEMORY: dict[tuple[AnnotatorChoice, str, str], Instance] = {}
_ANNOTATING = Lock()  # annotators may not be thread-safe


def annotate_relations(
    given: Sequence[GivenPair] | Sequence[Instance], annotators: AnnotatorsOnDemand
) -> list[Instance]:
    """Relations unchanged; pairs annotated, one relation for each, in order."""
    if instances := [one for one in given if isinstance(one, Instance)]:
        return instances
    pairs = {(annotators.choice, one.arg1, one.arg2): one for one in given if isinstance(one, GivenPair)}
    keys = [(annotators.choice, one.arg1, one.arg2) for one in given if isinstance(one, GivenPair)]
    with _ANNOTATING:
        waiting = [(key, pair) for key, pair in pairs.items() if key not in MEMORY]
        for begin in range(0, len(waiting), PAIRS_AT_ONCE):
            some = waiting[begin : begin + PAIRS_AT_ONCE]
            documents = annotators.annotate([pair.document() for _, pair in some], layers=ALL_LAYERS)
            for (key, pair), document in zip(some, documents, strict=True):
                MEMORY[key] = pair.candidate(document).instance
        found = [MEMORY[key] for key in keys]
        while len(MEMORY) > MOST_PAIRS:
            del MEMORY[next(iter(MEMORY))]  # the oldest
        return found


def relations_of_pairs(X: object, *, annotators: AnnotatorChoice | None = None) -> list[Instance]:
    """Pairs of texts as annotated relations: annotate once, then fit many times.

    Useful if several processes cross-validate; otherwise each of them annotates the texts.
    """
    with as_value_errors():
        return annotate_relations(read_relations(X), AnnotatorsOnDemand(annotators))


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
    chosen = [parts] if isinstance(parts, str) else list(parts)
    with as_value_errors():
        found = divide(corpus, Configuration().changed(dict(settings or {}))).instances
        if unknown := [name for name in chosen if name not in found]:
            hint = f"Choose from: {', '.join(found)}."
            raise InputError(f"Unknown part '{unknown[0]}'.", where=corpus.name, hint=hint)
        X = [instance for name in chosen for instance in found[name]]
    labels = [instance.gold[0] for instance in X]
    return LabelledRelations(X, np.array(labels), np.array([instance.document.id for instance in X]))


# y: labels


def read_labels(y: Any, rows: Sequence[object]) -> tuple[NDArray[Any], list[str]]:
    """The sorted classes of y in their own type, and the label of each row as a string."""
    if y is None:
        raise InputError(
            "Disco2Classifier requires y to be passed, but the target y is None.", hint="Give the labels."
        )
    labels = column_or_1d(y, warn=True)
    check_consistent_length(rows, labels)
    try:
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        encoder = LabelEncoder().fit(labels)
    except TypeError as error:  # None or NA among texts, or texts among numbers
        raise InputError(f"y can't be used: {error}", hint="Give only texts or numbers.") from error
    class_names = names_of(encoder.classes_)
    return encoder.classes_, [class_names[number] for number in encoder.transform(labels).tolist()]


def names_of(classes: NDArray[Any]) -> tuple[str, ...]:
    """The classes as labels of a model, which are strings."""
    return tuple(map(str, classes.tolist()))


def _check_classes(present: Sequence[str]) -> None:
    if len(present) < 2:
        raise InputError(f"y has only one class ({', '.join(present)}).", hint="Give at least two classes.")
    if WITHOUT_SENSE.issuperset(present):
        raise InputError(
            f"All classes are names for the absence of a sense: {', '.join(present)}.",
            hint="Rename these classes, or add relations that have a sense.",
        )


@dataclass(kw_only=True, eq=False, repr=False)  # scikit-learn compares and shows estimators
class Disco2Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Discourse relations, or any other labels, of pairs of texts.

    X holds pairs of texts, which the ``annotators`` annotate: a list or tuple of pairs, an array with two
    columns, or a table of pandas with the columns arg1 and arg2. Or it holds relations with their layers,
    of a corpus (see ``relations_of``) or of pairs (see ``relations_of_pairs``). y holds labels of any
    kind.

    The parameters are settings of ``disco2 train`` and have its defaults. ``settings`` holds any others by
    name, such as ``{"features.production_rules": 50}``; those of the task have no effect, as X and y define
    it. ``random_state`` is what ``--seed`` is; None draws another seed at each fit. ``annotators`` are the
    built-in English ones or those of an ``AnnotatorChoice``.

    A share of the training relations, ``development_share``, is held out for early stopping and to fit the
    temperature of the probabilities, unless ``fit`` gets a ``development`` part.

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

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, development: tuple[Any, Any] | None = None
    ) -> Self:
        """Train on relations and their labels.

        Relations with the ``sample_weight`` 0 are left out. ``development`` is an X and y for early stopping;
        default: a share of the training relations.
        """
        with as_value_errors():
            configuration = self._configuration()
            given = read_relations(X)
            classes, labels = read_labels(y, given)
            weights: NDArray[np.float64] = _check_sample_weight(
                sample_weight, np.empty((len(given), 1)), dtype=np.float64, ensure_non_negative=True
            )
            _check_classes(sorted({labels[row] for row in np.flatnonzero(weights > 0)}))
            annotators = AnnotatorsOnDemand(self.annotators)
            training = _with_labels(annotate_relations(given, annotators), labels, weights)
            learned, record = _train(
                [instance for instance in training if instance.weight > 0],
                self._development(development, annotators),
                labels=names_of(classes),
                configuration=configuration,
                annotators=annotators.name if isinstance(given[0], GivenPair) else "",
            )
        self.classes_ = classes
        self.record_ = replace(record, data=record.data | {CLASSES: classes.tolist()})
        self.pipeline_ = Pipeline(
            annotators,
            learned.model,
            Calibration(**record.calibration),
            info=ModelInfo(name=type(self).__name__, licence=str(record.data["licence"])),
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The best class of each relation."""
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
            pipeline = load(model, annotators=AnnotatorsOnDemand(annotators))
            manifest = read_manifest(find_model(model))
            parameters = _parameters(Configuration.from_json(manifest.configuration))
        found = cls(annotators=annotators, **parameters)
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
        annotators: Any = self.pipeline_.annotators
        with as_value_errors():
            scores = model.scores(annotate_relations(read_relations(X), annotators))
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

    def _development(self, given: tuple[Any, Any] | None, annotators: AnnotatorsOnDemand) -> list[Instance]:
        if given is None:
            return []
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise InputError("development is no pair of X and y.", hint="Give development=(X2, y2).")
        relations = read_relations(given[0])
        _, labels = read_labels(given[1], relations)
        return _with_labels(annotate_relations(relations, annotators), labels)

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


def _with_labels(
    instances: Sequence[Instance], labels: Sequence[str], weights: NDArray[np.float64] | None = None
) -> list[Instance]:
    """Instances with these labels; ``weights`` multiply those they have.

    The kind of a relation follows its label (NoRel, EntRel), so that calibration works as for a corpus.
    """
    given = np.ones(len(instances)) if weights is None else weights
    found = []
    for instance, label, weight in zip(instances, labels, given.tolist(), strict=True):
        relation = instance.relation
        if label in WITHOUT_SENSE and relation.kind != label:
            relation = replace(relation, kind=RelationKind(label))
        elif label not in WITHOUT_SENSE and relation.kind in WITHOUT_SENSE:
            relation = replace(relation, kind=RelationKind.IMPLICIT)
        weighed = instance.weight * weight
        found.append(replace(instance, relation=relation, gold=(label,), weight=weighed))
    return found


def _train(
    training: Sequence[Instance],
    development: Sequence[Instance],
    *,
    labels: tuple[str, ...],
    configuration: Configuration,
    annotators: str,
) -> tuple[Fitted, BundleRecord]:
    """Train with early stopping on the development part; if it is empty, on a share of the training part.

    ``annotators`` is the name of the annotators, if known.
    """
    documents = {id(one.document): one.document for one in (*training, *development)}  # pairs share an id
    corpus = Corpus(
        PAIRS if annotators else RELATIONS,
        inventory="free",
        documents={str(number): document for number, document in enumerate(documents.values())},
        relations=tuple(one.relation for one in (*training, *development)),
        automatic=tuple(layer.value for layer in Layer) if annotators else (),
        annotators=annotators,
    )
    instances = {"train": list(training), "dev": list(development)}
    parts = Parts(
        Task(PAIRS, level=0, labels=labels, minimum=1),  # labels are not split at dots
        protocol="own",
        labels=labels,
        relations={part: [one.relation for one in some] for part, some in instances.items()},
        instances=instances,
        dropped={},
    )
    fitted = train_model(corpus, parts, configuration)
    check_finite(fitted.model.parameters)
    return fitted, record_of(fitted, parts, configuration, corpus)


def _parameters(configuration: Configuration) -> dict[str, Any]:
    """The parameters of an estimator with this configuration, including ``settings`` and ``random_state``."""
    found = {parameter: attrgetter(setting)(configuration) for parameter, setting in SETTING_OF.items()}
    defaults = Configuration()
    others = {
        name: value
        for name in names()
        if name not in _PARAMETER_OF
        and not name.startswith("task.")
        and (value := attrgetter(name)(configuration)) != attrgetter(name)(defaults)
    }
    return found | {"settings": others or None, "random_state": configuration.training.seed}


def _plain_value(value: object) -> object:
    """A value as settings have it: searches draw NumPy numbers, and a file may be given as a path."""
    if isinstance(value, np.generic):
        return value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else value
