"""Held-out examples and how well some parameters do on them: what decides when to stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from disco2.batches import Batch, Example, collate
from disco2.model.arrays import Floats
from disco2.model.network import forward
from disco2.model.parameters import Parameters
from disco2.model.settings import ModelSettings


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

    def score(self, model: ModelSettings, parameters: Parameters, vectors: Floats) -> float:
        """How well the best labels under these parameters do, from 0 to 1."""
        chosen = [
            label
            for batch in self.batches
            for label in forward(model, parameters, vectors, batch).scores.argmax(axis=1).tolist()
        ]
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
