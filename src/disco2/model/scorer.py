"""Batches in, scores out, for parameters that no longer change."""

from __future__ import annotations

from typing import Protocol

from disco2.data.batch import Batch
from disco2.model.arrays import Floats
from disco2.model.ensemble import batch_scores
from disco2.model.fastest import is_compiled
from disco2.model.parameters import Parameters
from disco2.model.settings import ModelSettings


class Scorer(Protocol):
    """Of one model, or of several as one."""

    def scores(self, batch: Batch) -> Floats:
        """psi(y) of all labels, [n, Y]."""


class NumPyScorer:
    """``batch_scores`` with its parameters given."""

    def __init__(self, settings: ModelSettings, parameters: Parameters, vectors: Floats) -> None:
        self._settings = settings
        self._parameters = parameters
        self._vectors = vectors

    def scores(self, batch: Batch) -> Floats:
        return batch_scores(self._settings, self._parameters, self._vectors, batch)


def fastest_scorer(settings: ModelSettings, parameters: Parameters, vectors: Floats) -> Scorer:
    """``vectors``: [vocabulary, K], the rows that ``batch.words`` names."""
    kinds = {vectors.dtype, *(value.dtype for value in parameters.values())}
    if not (settings.composes and is_compiled(*kinds)):
        return NumPyScorer(settings, parameters, vectors)
    from disco2.model.compiled.scorer import CompiledScorer

    return CompiledScorer(settings, parameters, vectors)
