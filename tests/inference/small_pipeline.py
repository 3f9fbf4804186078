"""A pipeline of made-up pairs, trained in a moment."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from disco2.bundle import save_bundle
from disco2.data import Instance
from disco2.features import FeatureSettings
from disco2.inference.candidates import GivenPair
from disco2.inference.pipeline import ModelInfo, Pipeline
from disco2.model import ModelSettings, RelationModel, initial_parameters
from disco2.model.probabilities import Calibration
from disco2.training.loop import TrainingSettings
from disco2.vectors import VectorSettings
from tests.inference.rule_annotator import RuleAnnotator
from tests.training.fitting import fit

LABELS = ("Contingency.Cause", "Comparison.Contrast", "EntRel", "NoRel")
COUNTS = {"Contingency.Cause": 16, "Comparison.Contrast": 16, "EntRel": 8, "NoRel": 8}  # of the pairs below
INFO = ModelInfo(name="small", licence="none", digest="d1", label_counts=COUNTS)
TEMPERATURE = 1.5

_PAIRS = (
    ("{a} gave {b} the burger.", "She was hungry.", "Contingency.Cause"),
    ("{a} stayed at home.", "It rained all day.", "Contingency.Cause"),
    ("{a} likes tea.", "{b} prefers coffee.", "Comparison.Contrast"),
    ("{a} is tall.", "{b} is short.", "Comparison.Contrast"),
    ("{a} is a baker.", "{a} lives in Rome.", "EntRel"),
    ("{a} went home.", "Prices rose in May.", "NoRel"),
)


def made_up_instances() -> list[Instance]:
    names = ("Bob", "Tina", "Ann", "Max")
    annotator = RuleAnnotator()
    found = []
    for number, (first, second, label) in enumerate(_PAIRS * 8):
        a, b = names[number % 4], names[(number + 1 + number // 4) % 4]
        pair = GivenPair(first.format(a=a, b=b), second.format(a=a, b=b))
        candidate = pair.candidate(annotator.annotate([pair.document()])[0])
        found.append(replace(candidate.instance, gold=(label,)))
    return found


@cache
def small_model() -> RelationModel:
    instances = made_up_instances()
    return fit(
        instances,
        instances[:12],
        labels=LABELS,
        model=ModelSettings(K=8),
        features=FeatureSettings(minimum_count=3, first_words=1, context=False),
        vectors=VectorSettings(frequent=200),
        settings=TrainingSettings(epochs=6, batch_size=4),
    ).model


def random_model(*, kind: str, pairs: str = "mean", members: int = 1) -> RelationModel:
    """A model of another kind, with the features and vectors of the small one; it has learned nothing."""
    model = small_model()
    settings = ModelSettings(kind=kind, K=8, pairs=pairs, members=members)
    width = model.extractor.width if model.extractor else 0
    shapes = initial_parameters(settings, labels=len(LABELS), features=width, seed=1)
    generator = np.random.default_rng(2)
    stack = () if members == 1 else (members,)
    parameters = {
        name: generator.normal(0, 0.3, size=(*stack, *value.shape)).astype(np.float32)
        for name, value in shapes.items()
    }
    extractor = model.extractor if settings.uses_features else None
    return RelationModel(settings, LABELS, model.vectors, extractor, parameters)


def small_pipeline(model: RelationModel | None = None) -> Pipeline:
    return Pipeline(RuleAnnotator(), model or small_model(), Calibration(TEMPERATURE), info=INFO)


def write_small_bundle(folder: Path) -> Path:
    save_bundle(
        small_model(),
        folder,
        data={"licence": "none", "label_counts": COUNTS},
        calibration={"temperature": TEMPERATURE},
    )
    return folder
