"""Trainings that differ in seed or rates alone start from the same examples: these are kept for a while."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
from disco2.training.preparation import Prepared

KEPT = 2  # examples of a large corpus take memory


class Preparations:
    """What the last trainings on one corpus prepared."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Prepared] = {}

    def of(self, parts: Parts, configuration: Configuration, make: Callable[[], Prepared]) -> Prepared:
        """What a training under a configuration starts from, made unless it is kept."""
        key = preparation_key(configuration, seed_matters=not parts.instances["dev"])
        found = self._kept.pop(key, None) or make()
        self._kept[key] = found  # the last one used is the last one dropped
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return found


def preparation_key(configuration: Configuration, *, seed_matters: bool = False) -> Hashable:
    """Every setting that ``prepare_training`` looks at."""
    task, model, training = configuration.task, configuration.model, configuration.training
    by_seed = seed_matters or bool(task.versus and task.balance) or configuration.vectors.source == "word2vec"
    return (
        task,
        configuration.features,
        configuration.vectors,
        (model.kind, model.features, model.K),
        (training.seed, training.development_share) if by_seed else None,
    )
