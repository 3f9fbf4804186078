"""A trained model: instances in, scores out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from disco2.data import WITHOUT_SENSE, Instance
from disco2.data.batch import Example, collate
from disco2.features import FeatureExtractor
from disco2.features.encoder import UNKNOWN_WORD, Encoder
from disco2.model.arrays import Floats
from disco2.model.parameters import Parameters
from disco2.model.scorer import NumPyScorer, Scorer, fastest_scorer
from disco2.model.settings import ModelSettings
from disco2.threads import single_threaded
from disco2.vectors import WordVectors

BATCH_SIZE = 256  # what a batch needs stays in the processor's cache
VERY_MANY = 50_000  # examples times members at once: from here on, loading compiled code (a second) pays


@dataclass(frozen=True)
class RelationModel:
    """Everything that is needed to score relations.

    Where the settings say several ``members``, every parameter has a leading axis of that length, and the
    scores are the mean over it; see ``ensemble``.
    """

    settings: ModelSettings
    labels: tuple[str, ...]
    vectors: WordVectors
    extractor: FeatureExtractor | None
    parameters: Parameters

    @cached_property
    def is_sense(self) -> NDArray[np.bool_]:
        """[Y]: which labels are senses; EntRel and NoRel are outcomes for running text alone."""
        return np.array([label not in WITHOUT_SENSE for label in self.labels], dtype=bool)

    @cached_property
    def leaves(self) -> Floats:
        """[words + 1, K]: the word vectors, behind a row of zeros for unknown words."""
        return np.concatenate([np.zeros((1, self.settings.K), dtype=np.float32), self.vectors.matrix])

    @cached_property
    def encoder(self) -> Encoder:
        return Encoder(
            word_row=self._word_row,
            labels=self.labels,
            extractor=self.extractor,
            with_entities=self.settings.kind == "entities",
        )

    @cached_property
    def fast_scorer(self) -> Scorer:
        """For very many examples: what it makes ready at first has to pay."""
        return fastest_scorer(self.settings, self.parameters, self.leaves)

    def scores(self, instances: Sequence[Instance], *, batch_size: int = BATCH_SIZE) -> Floats:
        """psi(y) for each instance and label, [n, Y]."""
        return self.score_examples(self.encoder.encode(instances), batch_size=batch_size)

    def score_examples(self, examples: Sequence[Example], *, batch_size: int = BATCH_SIZE) -> Floats:
        """The same for examples that are already encoded."""
        found = np.zeros((len(examples), len(self.labels)), dtype=self.parameters["b"].dtype)
        scorer: Scorer = NumPyScorer(self.settings, self.parameters, self.leaves)
        if len(examples) * self.settings.members >= VERY_MANY:
            scorer = self.fast_scorer
        with single_threaded():
            for begin in range(0, len(examples), batch_size):
                batch = collate(examples[begin : begin + batch_size])
                found[begin : begin + batch.size] = scorer.scores(batch)
        return found

    def predict(self, instances: Sequence[Instance]) -> list[str]:
        """The best label of each instance."""
        return [self.labels[label] for label in self.scores(instances).argmax(axis=1)]

    def _word_row(self, form: str) -> int:
        row = self.vectors.row(form)
        return UNKNOWN_WORD if row is None else row + 1
