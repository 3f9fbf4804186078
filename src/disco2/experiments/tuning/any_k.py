"""Examples that serve trainings with any K: of all that is prepared, word vectors alone depend on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
from disco2.experiments.train_run import Preparations
from disco2.training.preparation import Prepared
from disco2.vectors import WordVectors, load_vectors
from disco2.vectors.source import SHIPPED


class PreparationsForAnyK(Preparations):
    """Preparations in which another K only asks for other vectors, where these are the shipped ones.

    Those have the same words with any K, so that examples, which hold rows of the table, stay right.
    """

    def __init__(self) -> None:
        super().__init__()
        self._vectors: dict[int, WordVectors] = {}

    def of(self, parts: Parts, configuration: Configuration, make: Callable[[], Prepared]) -> Prepared:
        model = configuration.model
        if configuration.vectors.source != SHIPPED or not model.uses_vectors:
            return super().of(parts, configuration, make)
        prepared = super().of(parts, configuration.changed({"model.K": 1}), make)
        if prepared.untrained.settings.K == model.K:
            return prepared
        vectors = self._vectors_of(prepared, configuration)
        return replace(prepared, untrained=replace(prepared.untrained, settings=model, vectors=vectors))

    def _vectors_of(self, prepared: Prepared, configuration: Configuration) -> WordVectors:
        K, words = configuration.model.K, prepared.untrained.vectors.words
        known = self._vectors.get(K)
        if known is None or known.words != words:
            known = load_vectors(
                SHIPPED,
                dimensions=K,
                words=set(words),
                frequent=configuration.vectors.frequent,
                sentences=None,
                seed=configuration.training.seed,
            )
            self._vectors[K] = known
        return known
