"""disco2 as a scikit-learn estimator: fit, predict and cross-validate over text pairs or relations."""

from importlib.util import find_spec

from disco2.errors import MissingExtraError

if find_spec("sklearn") is None:
    raise MissingExtraError("scikit-learn", "sklearn", "The scikit-learn estimator")

from disco2.interfaces.estimator.annotated_pairs import relations_of_pairs
from disco2.interfaces.estimator.classifier import Disco2Classifier
from disco2.interfaces.estimator.corpus_relations import LabelledRelations, relations_of
from disco2.interfaces.estimator.refusals import UnusableInputError, UnusableSettingsError

__all__ = [
    "Disco2Classifier",
    "LabelledRelations",
    "UnusableInputError",
    "UnusableSettingsError",
    "relations_of",
    "relations_of_pairs",
]
