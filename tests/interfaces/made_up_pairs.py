"""Made-up pairs with labels that their words decide, and an estimator that learns them in a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from disco2.annotation.annotator import ALL_LAYERS, Layers
from disco2.data import Document
from tests.inference.rule_annotator import RuleAnnotator

if TYPE_CHECKING:
    from disco2.interfaces.estimator import Disco2Classifier

NAMES = ("Bob", "Tina", "Ann", "Max", "Eve")
_TEMPLATES = (
    ("{a} stayed at home.", "It rained all day.", "because"),
    ("{a} ate the soup.", "She was hungry.", "because"),
    ("{a} likes tea.", "{b} prefers coffee.", "but"),
    ("{a} is tall.", "{b} is short.", "but"),
)


def made_up_pairs(count: int) -> tuple[list[tuple[str, str]], list[str]]:
    """Pairs and their labels; up to twenty of them are different."""
    pairs, labels = [], []
    for number in range(count):
        first, second, label = _TEMPLATES[number % 4]
        a, b = NAMES[number % 5], NAMES[(number + 1) % 5]
        pairs.append((first.format(a=a), second.format(b=b)))
        labels.append(label)
    return pairs, labels


class SteadyRules(RuleAnnotator):
    """The rule annotator without its counter: scikit-learn looks whether ``fit`` changes a parameter."""

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        return RuleAnnotator().annotate(documents, layers=layers)


SMALL: dict[str, Any] = {
    "K": 4,
    "epochs": 4,
    "batch_size": 4,
    "rate_features": 0.1,
    "settings": {"vectors.frequent": 100, "features.minimum_count": 2},
}


def small_classifier(**parameters: Any) -> Disco2Classifier:
    from disco2.interfaces.estimator import Disco2Classifier

    return Disco2Classifier(**({"annotators": SteadyRules()} | SMALL | parameters))
