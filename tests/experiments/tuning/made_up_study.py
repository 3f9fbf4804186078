"""A small question, and trainings that take no time: their score is read off the settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.data import Corpus
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.training.fit import Fitted
from disco2.training.history import Epoch, History

QUICK = read_configuration(None, ["model.kind=surface", "training.epochs=3"])
PASSES = QUICK.training.epochs

ScoreOf = Callable[[Configuration], float]


def small_corpus(folder: Path) -> Corpus:
    return read_role_pairs(write_role_pairs(folder, size=60, seed=1))


class Trainings:
    """Stands in for ``train_model``: notes what it is asked for, and scores as it is told."""

    def __init__(
        self, score_of: ScoreOf = lambda configuration: configuration.training.rate_features
    ) -> None:
        self._score_of = score_of
        self.asked: list[Configuration] = []
        self.parts: list[Any] = []

    def __call__(
        self, corpus: Corpus, parts: Any, configuration: Configuration, *, preparations: Any, progress: Any
    ) -> Fitted:
        self.asked.append(configuration)
        self.parts.append(parts)
        score = self._score_of(configuration)
        epochs = [Epoch(number, 1.0, 1.0 - score, score) for number in range(1, PASSES + 1)]
        for epoch in epochs:
            progress(epoch)
        return Fitted(None, History(epochs, epochs[0]), 1)  # type: ignore[arg-type]
