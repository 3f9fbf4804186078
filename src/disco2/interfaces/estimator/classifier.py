"""The estimator: constructor parameters in, a fitted pipeline out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from disco2.annotation.annotator import Annotator
from disco2.annotation.choice import AnnotatorChoice, ChosenAnnotators
from disco2.bundle import read_manifest, save_bundle
from disco2.data import Instance
from disco2.experiments.bundle_record import BundleRecord
from disco2.experiments.configuration import Configuration
from disco2.inference.given_pair import GivenPair
from disco2.inference.loading import load
from disco2.inference.model_info import ModelInfo
from disco2.inference.pipeline import Pipeline
from disco2.interfaces.estimator.annotated_pairs import annotators_of, with_layers
from disco2.interfaces.estimator.configured import SETTING_OF, configuration_of, parameters_of
from disco2.interfaces.estimator.inputs import read_relations, relations_in, rows_of
from disco2.interfaces.estimator.learning import labelled, learn
from disco2.interfaces.estimator.refusals import UnusableInputError, UnusableSettingsError, as_value_errors
from disco2.interfaces.estimator.targets import (
    Target,
    check_classes,
    classes_from,
    names_of,
    read_target,
    read_weights,
    type_name,
)
from disco2.model.calibration import Calibration
from disco2.shipped import find_model
from disco2.training.history import History

LABEL_TYPE = "label_type"  # under which name a bundle records the type of the classes


class Disco2Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Discourse relations, or any other labels, of pairs of texts.

    X holds pairs of texts, which the ``annotators`` annotate, or relations that have their layers: records of
    a corpus (see ``relations_of``) or of pairs (see ``relations_of_pairs``). y holds labels of any kind.

    The parameters are settings of ``disco2 train`` and have its defaults. ``settings`` holds any others by
    name, such as ``{"features.production_rules": 50, "training.lambda_upward": 0.01}``. ``random_state`` is
    what ``--seed`` is; None draws another seed at each fit. ``annotators`` are the built-in English ones, an
    ``AnnotatorChoice``, or any annotator.

    A share of the training relations, ``development_share``, says when to stop and fits the temperature of
    the probabilities, unless ``fit`` is given a ``development`` part.

    After ``fit``: ``classes_``; ``pipeline_``, which explains its answers; ``history_``, the passes of the
    training; ``record_``, what a bundle will say about the model.
    """

    classes_: NDArray[Any]
    pipeline_: Pipeline
    history_: History
    record_: BundleRecord

    def __init__(
        self,
        *,
        kind: str = "entities",
        features: bool = True,
        K: int = 100,
        members: int = 1,
        vectors: str | Path = "shipped",
        epochs: int = 30,
        patience: int = 6,
        batch_size: int = 64,
        loss: str = "large-margin",
        dropout: float = 0.0,
        rate_upward: float = 0.02,
        rate_downward: float = 0.003,
        rate_features: float = 0.01,
        rate_classification: float = 0.02,
        rate_entities: float = 0.003,
        development_share: float = 0.2,
        settings: Mapping[str, object] | None = None,
        annotators: Annotator | AnnotatorChoice | None = None,
        random_state: int | np.random.RandomState | None = 1,
    ) -> None:
        self.kind = kind
        self.features = features
        self.K = K
        self.members = members
        self.vectors = vectors
        self.epochs = epochs
        self.patience = patience
        self.batch_size = batch_size
        self.loss = loss
        self.dropout = dropout
        self.rate_upward = rate_upward
        self.rate_downward = rate_downward
        self.rate_features = rate_features
        self.rate_classification = rate_classification
        self.rate_entities = rate_entities
        self.development_share = development_share
        self.settings = settings
        self.annotators = annotators
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, development: tuple[Any, Any] | None = None
    ) -> Self:
        """Train on relations and their labels.

        ``sample_weight`` is what each relation counts; one that counts nothing is left out.
        ``development`` is another X and y that say when to stop; without it a share is held out.
        """
        with as_value_errors():
            configuration = self._configuration()
            target = read_target(y)
            rows = rows_of(X)
            _check_lengths(rows, target)
            weights = read_weights(sample_weight, len(rows))
            check_classes(target.of_rows(weights > 0))
            given = relations_in(rows)
            annotators = annotators_of(self.annotators)
            training = labelled(with_layers(given, annotators), target.label_names(), weights)
            learned, record = learn(
                [instance for instance in training if instance.weight > 0],
                self._development(development, annotators),
                labels=target.names,
                configuration=configuration,
                annotators=annotators.name if isinstance(given[0], GivenPair) else "",
            )
        self.classes_ = target.classes
        self.history_ = learned.history
        self.record_ = replace(record, data=record.data | {LABEL_TYPE: type_name(target.classes)})
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

        A bundle that is already there is replaced. ``force`` also replaces one that was changed since, or
        that lies among other files; those stay.
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
            parameters = parameters_of(Configuration.from_json(manifest.configuration))
        found = cls(annotators=annotators, **parameters)
        found.classes_ = classes_from(pipeline.model.labels, str(manifest.data.get(LABEL_TYPE, "str")))
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
            instances = with_layers(read_relations(X), self.pipeline_.annotators)
            scores = model.scores(instances)
        columns = [model.labels.index(name) for name in names_of(self.classes_)]
        found: NDArray[np.float64] = scores[:, columns].astype(np.float64)
        return found

    def _configuration(self) -> Configuration:
        parameters = {name: getattr(self, name) for name in SETTING_OF}
        return configuration_of(parameters, self.settings, self.random_state)

    def _development(self, given: tuple[Any, Any] | None, annotators: Annotator) -> list[Instance]:
        if given is None:
            return []
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise UnusableInputError("development is no pair of X and y.", hint="Give development=(X2, y2).")
        rows, target = rows_of(given[0]), read_target(given[1])
        _check_lengths(rows, target)
        return labelled(with_layers(relations_in(rows), annotators), target.label_names())

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

        Annotators of a choice are not sent but loaded there.
        """
        if isinstance(self.annotators, ChosenAnnotators):
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


def _check_lengths(rows: Sequence[object], target: Target) -> None:
    if len(rows) != len(target.numbers):
        raise UnusableInputError(
            f"X has {len(rows)} relations and y has {len(target.numbers)} labels.",
            hint="Give one label for each relation.",
        )
