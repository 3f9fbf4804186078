"""disco2: implicit discourse relations from entity-augmented distributional semantics.

import disco2
nlp = disco2.load()
for relation in nlp("Bob gave Tina the burger. She was hungry."):
    print(relation.sense, relation.probability, relation.entities)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from disco2.errors import (
    BundleError,
    CorpusError,
    Disco2Error,
    InputError,
    LayerError,
    MissingExtraError,
    SettingsError,
    VectorsError,
)
from disco2.version import VERSION

if TYPE_CHECKING:
    from disco2.inference.explanation import Explanation
    from disco2.inference.pipeline import Pipeline, load
    from disco2.inference.plain_text import LanguageWarning
    from disco2.inference.prediction import Prediction, Relations
    from disco2.interfaces.estimator import Disco2Classifier as Disco2Classifier
    from disco2.interfaces.notebook import render

__version__ = VERSION

# Without Disco2Classifier, which needs the extra `sklearn`: `from disco2 import *` needs none.
__all__ = [
    "BundleError",
    "CorpusError",
    "Disco2Error",
    "Explanation",
    "InputError",
    "LanguageWarning",
    "LayerError",
    "MissingExtraError",
    "Pipeline",
    "Prediction",
    "Relations",
    "SettingsError",
    "VectorsError",
    "__version__",
    "load",
    "render",
]

# Imported when first used, so that importing the package takes no time.
_LATE = {
    "Disco2Classifier": "disco2.interfaces.estimator",
    "Explanation": "disco2.inference.explanation",
    "LanguageWarning": "disco2.inference.plain_text",
    "Pipeline": "disco2.inference.pipeline",
    "Prediction": "disco2.inference.prediction",
    "Relations": "disco2.inference.prediction",
    "load": "disco2.inference.pipeline",
    "render": "disco2.interfaces.notebook",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'disco2' has no attribute '{name}'")
    found = getattr(importlib.import_module(_LATE[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATE})
