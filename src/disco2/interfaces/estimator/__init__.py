"""disco2 as a scikit-learn estimator: fit, predict and cross-validate on pairs of texts or relations."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from disco2.errors import MissingExtraError

if find_spec("sklearn") is None:
    raise MissingExtraError("scikit-learn", "sklearn", "The scikit-learn estimator")

from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from disco2.annotation.annotator import Annotator, AnnotatorChoice, Annotators, Layer
from disco2.bundle import read_manifest, save_bundle
from disco2.corpora.tasks import Task
from disco2.data import WITHOUT_SENSE, Corpus, Instance, RelationKind
from disco2.experiments.bundle_record import BundleRecord, record_of
from disco2.experiments.configuration import Configuration, names
from disco2.experiments.division import Parts
from disco2.experiments.train_run import train_model
from disco2.inference.candidates import GivenPair
from disco2.inference.pipeline import ModelInfo, Pipeline, load
from disco2.interfaces.estimator.inputs import (
    LabelledRelations,
    UnusableInputError,
    UnusableSettingsError,
    annotate_relations,
    annotators_of,
    as_value_errors,
    names_of,
    read_relations,
    read_target,
    read_weights,
    relations_of,
    relations_of_pairs,
    rows_of,
)
from disco2.model.parameters import check_finite
from disco2.model.probabilities import Calibration
from disco2.shipped import find_model
from disco2.training.fit import Fitted
from disco2.training.loop import History

__all__ = [
    "Disco2Classifier",
    "LabelledRelations",
    "UnusableInputError",
    "UnusableSettingsError",
    "relations_of",
    "relations_of_pairs",
]

PAIRS, RELATIONS = "pairs", "relations"  # the corpus name in a bundle
LABEL_TYPE = "label_type"  # key of the classes' type in a bundle, whose labels are strings
_TYPES: dict[str, type] = {"int": int, "float": float, "str": str}

_RATES = ("rate_upward", "rate_downward", "rate_features", "rate_classification", "rate_entities")
_OF_TRAINING = ("epochs", "patience", "batch_size", "loss", "dropout", *_RATES, "development_share")
SETTING_OF = {  # parameter -> setting of ``disco2 train``
    **{name: f"model.{name}" for name in ("kind", "features", "K", "members")},
    "vectors": "vectors.source",
    **{name: f"training.{name}" for name in _OF_TRAINING},
}
SEED = "training.seed"
_PARAMETER_OF = {setting: parameter for parameter, setting in SETTING_OF.items()} | {SEED: "random_state"}


@dataclass(kw_only=True, eq=False, repr=False)  # scikit-learn compares and shows estimators
class Disco2Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Discourse relations, or any other labels, of pairs of texts.

    X holds pairs of texts, which the ``annotators`` annotate, or relations that have their layers: records of
    a corpus (see ``relations_of``) or of pairs (see ``relations_of_pairs``). y holds labels of any kind.

    The parameters are settings of ``disco2 train`` and have its defaults. ``settings`` holds any others by
    name, such as ``{"features.production_rules": 50, "training.lambda_upward": 0.01}``. ``random_state`` is
    what ``--seed`` is; None draws another seed at each fit. ``annotators`` are the built-in English ones, an
    ``AnnotatorChoice``, or any annotator.

    A share of the training relations, ``development_share``, is held out for early stopping and to fit the
    temperature of the probabilities, unless ``fit`` gets a ``development`` part.

    After ``fit``: ``classes_``; ``pipeline_``, which can explain its answers; ``history_`` of the training;
    ``record_``, the metadata of a bundle.
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
    annotators: Annotator | AnnotatorChoice | None = None
    random_state: int | np.random.RandomState | None = 1

    classes_: NDArray[Any] = field(init=False)
    pipeline_: Pipeline = field(init=False)
    history_: History = field(init=False)
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
            rows = rows_of(X)
            target = read_target(y, rows=len(rows))
            weights = read_weights(sample_weight, len(rows))
            target.check_classes(weights)
            given = read_relations(rows)
            annotators = annotators_of(self.annotators)
            training = _with_labels(annotate_relations(given, annotators), target.label_names(), weights)
            learned, record = _train(
                [instance for instance in training if instance.weight > 0],
                self._development(development, annotators),
                labels=target.names,
                configuration=configuration,
                annotators=annotators.name if isinstance(given[0], GivenPair) else "",
            )
        self.classes_ = target.classes
        self.history_ = learned.history
        label_type = type(target.classes.tolist()[0]).__name__
        self.record_ = replace(record, data=record.data | {LABEL_TYPE: label_type})
        self.pipeline_ = Pipeline(
            annotators,
            learned.model,
            Calibration(**record.calibration),
            info=ModelInfo(name=type(self).__name__, licence=str(record.data["licence"])),
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The best class of each relation."""
        best = self._scores(X).argmax(axis=1)
        found: NDArray[Any] = self.classes_[best]
        return found

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of all classes, in the order of ``classes_``, at the fitted temperature."""
        scores = self._scores(X)
        return self.pipeline_.calibration.probabilities(scores).astype(np.float64, copy=False)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Their logarithms."""
        with np.errstate(divide="ignore"):  # an impossible class has minus infinity
            found: NDArray[np.float64] = np.log(self.predict_proba(X))
        return found

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
    def load(
        cls, model: str | Path, *, annotators: Annotator | AnnotatorChoice | None = None
    ) -> Disco2Classifier:
        """A fitted estimator from a model, by a name or folder as in ``disco2.load``."""
        with as_value_errors():
            chosen = annotators_of(annotators)
            pipeline = load(model, annotators=chosen)
            manifest = read_manifest(find_model(model))
            parameters = _parameters(Configuration.from_json(manifest.configuration))
        found = cls(annotators=annotators, **parameters)
        found.classes_ = _restore_classes(pipeline.model.labels, str(manifest.data.get(LABEL_TYPE, "str")))
        found.pipeline_ = pipeline
        found.history_ = History()
        found.record_ = BundleRecord(
            manifest.configuration, manifest.task, manifest.data, manifest.figures, manifest.calibration
        )
        return found

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """psi of each class, in the order of ``classes_``."""
        check_is_fitted(self)
        model = self.pipeline_.model
        with as_value_errors():
            instances = annotate_relations(read_relations(X), self.pipeline_.annotators)
            scores = model.scores(instances)
        columns = [model.labels.index(name) for name in names_of(self.classes_)]
        found: NDArray[np.float64] = scores[:, columns].astype(np.float64)
        return found

    def _configuration(self) -> Configuration:
        """All settings of the training: the parameters, ``settings`` and ``random_state``."""
        if self.settings is not None and not isinstance(self.settings, Mapping):
            raise UnusableSettingsError(
                f"settings is of type {type(self.settings).__name__}.",
                hint='Give names and values, such as {"features.production_rules": 50}.',
            )
        others = dict(self.settings or {})
        for name in others:
            if name in _PARAMETER_OF:
                hint = f"Give {_PARAMETER_OF[name]}=..."
                raise UnusableSettingsError(f"The setting '{name}' is a parameter.", hint=hint)
            if str(name).startswith("task."):
                raise UnusableSettingsError(
                    f"The setting '{name}' has no effect: X and y define the task.",
                    hint="Give it to relations_of if the relations come from a corpus.",
                )
        generator = check_random_state(self.random_state)  # raises for an invalid one
        seed = self.random_state  # an integer has the same meaning as --seed
        if not isinstance(seed, int | np.integer):
            seed = generator.randint(np.iinfo(np.int32).max)
        named = {setting: getattr(self, parameter) for parameter, setting in SETTING_OF.items()}
        values = named | others | {SEED: int(seed)}
        return Configuration().changed({name: _plain_value(value) for name, value in values.items()})

    def _development(self, given: tuple[Any, Any] | None, annotators: Annotator) -> list[Instance]:
        if given is None:
            return []
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise UnusableInputError("development is no pair of X and y.", hint="Give development=(X2, y2).")
        relations = read_relations(given[0])
        target = read_target(given[1], rows=len(relations))
        return _with_labels(annotate_relations(relations, annotators), target.label_names())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        # A table of two texts is one too, but this tag promises to take numbers.
        tags.input_tags.two_d_array = False
        return tags

    def __sklearn_clone__(self) -> Disco2Classifier:
        """Unfitted, with the same annotators: they don't change, and may be too large to copy."""
        parameters = self.get_params(deep=False)
        copied = {
            name: value if name == "annotators" else clone(value, safe=False)
            for name, value in parameters.items()
        }
        found = type(self)(**copied)
        if hasattr(self, "_metadata_request"):
            found._metadata_request = deepcopy(self._metadata_request)
        return found

    def __getstate__(self) -> dict[str, Any]:
        """What is worth sending to another process: the model without what it keeps for speed.

        Annotators of a choice are not sent but opened there.
        """
        if isinstance(self.annotators, Annotators):
            raise UnusableSettingsError(
                "Annotators that are open can't be copied or sent to another process.",
                hint="Give the AnnotatorChoice itself, not what its open() made.",
            )
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


def _restore_classes(labels: tuple[str, ...], type_name: str) -> NDArray[Any]:
    """The sorted classes, in their original type, of a model's labels."""
    if type_name == "bool":
        return np.unique([label == str(True) for label in labels])
    return np.unique([_TYPES.get(type_name, str)(label) for label in labels])
