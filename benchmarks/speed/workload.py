"""What the model is run on: relations, word vectors, parameters in the midst of a training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.speed.generated import Recipe, generate
from benchmarks.speed.made import Made
from disco2.data.batch import Batch, Floats, collate
from disco2.model import ModelSettings, Parameters, initial_parameters

STANDARD_K = 50
STANDARD_BATCH = 64
SCORING_BATCH = 1024


@dataclass(frozen=True)
class Workload:
    """Relations and a model for them, the same for every implementation."""

    name: str
    settings: ModelSettings
    made: Sequence[Made]
    vectors: Floats  # [words, K]
    parameters: Parameters

    def batches(self, size: int) -> list[Batch]:
        """All relations in whole batches."""
        examples = [one.example for one in self.made]
        return [collate(examples[begin : begin + size]) for begin in range(0, len(examples) - size + 1, size)]

    def fresh_parameters(self) -> Parameters:
        """A copy to change."""
        return {name: value.copy() for name, value in self.parameters.items()}

    def at_the_start(self) -> Workload:
        """The same before the first step of a training, when every label violates the margin."""
        labels, features = self.parameters["beta"].shape
        start = initial_parameters(self.settings, labels=labels, features=features, seed=1)
        return replace(self, parameters=start)


def generated_workload(
    pairs: int, *, K: int = STANDARD_K, recipe: Recipe | None = None, seed: int = 1
) -> Workload:
    """Generated relations with the paper's model, entities and features, in float32.

    Labels are numbered from the most common on, and b falls by one margin from label to label; the random
    remaining terms then decide whether the next label violates the margin. So the number of labels that do is
    the one of a training on GUM, on which the cost of implementations that go label by label depends.
    """
    recipe = recipe or Recipe()
    settings = ModelSettings(K=K)
    generator = np.random.default_rng(seed)
    parameters = initial_parameters(settings, labels=recipe.labels, features=recipe.features, seed=seed)
    parameters["b"][:] = -np.arange(recipe.labels)
    parameters["beta"][:] = generator.normal(0, 0.01, size=parameters["beta"].shape)
    for name in ("A3", "B3"):
        parameters[name][:] = generator.normal(0, 0.01, size=parameters[name].shape)
    vectors = generator.standard_normal((recipe.vocabulary, K), dtype=np.float32)
    vectors[0] = 0  # unknown words
    return Workload("generated", settings, generate(pairs, recipe, seed=seed), vectors, parameters)


def violated(workload: Workload, scores: Floats) -> float:
    """Labels that violate the margin, for each relation; see ``gum_statistics.VIOLATED``."""
    rows = np.arange(len(scores))
    right = scores[rows, [one.example.label for one in workload.made[: len(scores)]]]
    return float(((1 - right[:, None] + scores) > 0).sum() / len(scores)) - 1
