"""Held-out examples and how well some parameters do on them: what decides when to stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from disco2.data.batch import Batch, Example, collate
from disco2.model.arrays import Floats
from disco2.model.composer import Composer
from disco2.model.ensemble import batch_scores
from disco2.model.parameters import Parameters
from disco2.model.settings import ModelSettings
from disco2.threads import single_threaded
from disco2.training.loss import Loss


@dataclass(frozen=True, slots=True)
class Verdict:
    """Score (from 0 to 1) and mean loss on held-out examples."""

    score: float
    loss: float


@dataclass(frozen=True, slots=True)
class Development:
    """Held-out examples and, for each, the numbers of the labels that count as right.

    The score is accuracy, or F1 of the label ``positive`` where the task is one class against the rest.
    """

    batches: tuple[Batch, ...]
    gold: tuple[frozenset[int], ...]
    positive: int | None = None

    @classmethod
    def of(
        cls,
        examples: Sequence[Example],
        gold: Sequence[frozenset[int]],
        *,
        positive: int | None = None,
        batch_size: int = 256,
    ) -> Development:
        return cls(tuple(in_batches(examples, batch_size)), tuple(gold), positive)

    @single_threaded()
    def judge(
        self,
        model: ModelSettings,
        parameters: Parameters,
        vectors: Floats,
        loss: Loss,
        *,
        composer: Composer | None = None,
    ) -> Verdict:
        """How well the parameters do. Of several right labels the one with the best score counts."""
        chosen: list[int] = []
        total, begin = 0.0, 0
        for batch in self.batches:
            scores = batch_scores(model, parameters, vectors, batch, composer=composer)
            chosen.extend(scores.argmax(axis=1).tolist())
            gold = self.gold[begin : begin + batch.size]
            best_right = [max(labels, key=row.__getitem__) for labels, row in zip(gold, scores, strict=True)]
            judged = replace(
                batch,
                labels=np.array(best_right, dtype=np.int32),
                weights=np.ones(batch.size, dtype=np.float32),  # weights are for training
            )
            total += batch.size * loss(scores, judged)[0]
            begin += batch.size
        return Verdict(self._score(chosen), total / max(begin, 1))

    def _score(self, chosen: Sequence[int]) -> float:
        if self.positive is None:
            right = sum(label in gold for label, gold in zip(chosen, self.gold, strict=True))
            return float(right / max(len(chosen), 1))
        found = [label == self.positive for label in chosen]
        wanted = [self.positive in gold for gold in self.gold]
        both = sum(one and other for one, other in zip(found, wanted, strict=True))
        return float(2 * both / max(sum(found) + sum(wanted), 1))


def in_batches(examples: Sequence[Example], size: int) -> list[Batch]:
    """Batches of consecutive examples."""
    return [collate(examples[begin : begin + size]) for begin in range(0, len(examples), size)]
