"""What a finished run leaves behind: its answer to every relation of the parts it was judged on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.model.arrays import Floats

Right = NDArray[np.bool_]


@dataclass(frozen=True)
class Answers:
    """The answers to n relations of one part, in the order of the corpus."""

    relations: tuple[str, ...]  # their ids
    documents: tuple[str, ...]
    gold: tuple[tuple[str, ...], ...]
    shared: NDArray[np.bool_]  # [n] whether the arguments share an entity
    labels: tuple[str, ...]
    scores: Floats  # [n, labels]

    @cached_property
    def predicted(self) -> tuple[str, ...]:
        return tuple(self.labels[best] for best in self.scores.argmax(axis=1)) if self.relations else ()

    @cached_property
    def right(self) -> Right:
        """[n]"""
        pairs = zip(self.predicted, self.gold, strict=True)
        return np.array([label in gold for label, gold in pairs], dtype=bool)


@dataclass(frozen=True)
class RunResult:
    """Answers by part, and what else was noted.

    ``notes``: ``training_relations``; ``norms`` of the parameters, by name; ``seconds`` that the passes took,
    without the preparation of examples, which later seeds are spared, and summed over interruptions.
    """

    labels: tuple[str, ...]
    answers: Mapping[str, Answers]
    notes: Mapping[str, Any] = field(default_factory=dict)
