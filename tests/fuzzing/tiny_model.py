"""A model of a few words and features that was never trained: all that loading and answering need."""

from __future__ import annotations

from functools import cache

import numpy as np

from disco2.data import Instance
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.inference.pipeline import Pipeline
from disco2.model import ModelSettings, RelationModel, initial_parameters
from disco2.vectors import WordVectors
from tests.inference.rule_annotator import RuleAnnotator
from tests.inference.small_pipeline import LABELS, made_up_instances

WORDS = ("the", "she", "was", "hungry", "tea")


@cache
def tiny_model() -> RelationModel:
    settings = ModelSettings(K=3, rank=1)
    extractor = FeatureExtractor(
        FeatureSettings(first_words=1, openings=2, context=True),
        {
            "word_pairs": (("tea", "coffe"),),
            "production_rules": (("both", "S -> NN VP"),),
            "first_words": (("arg1", 0, "bob"),),
            "openings": ("she",),
        },
    )
    generator = np.random.default_rng(1)
    matrix = generator.normal(size=(len(WORDS), settings.K)).astype(np.float32)
    parameters = {
        name: generator.normal(0, 0.3, size=value.shape).astype(np.float32)
        for name, value in initial_parameters(
            settings, labels=len(LABELS), features=extractor.width, seed=1
        ).items()
    }
    return RelationModel(settings, LABELS, WordVectors(WORDS, matrix), extractor, parameters)


@cache
def two_instances() -> tuple[Instance, ...]:
    """Relations to be scored."""
    return tuple(made_up_instances()[:2])


def tiny_pipeline() -> Pipeline:
    return Pipeline(RuleAnnotator(), tiny_model())
