"""A small corpus, a place for studies, and trainings that take no time."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.data import Corpus
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.tuning import check_storage
from disco2.training.fit import Fitted, Prepared
from disco2.training.loop import Epoch, History

QUICK = read_configuration(None, ["model.kind=surface", "training.epochs=3"])


@pytest.fixture(scope="session")
def role_pairs(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return read_role_pairs(write_role_pairs(tmp_path_factory.mktemp("pairs") / "corpus", size=60, seed=1))


@pytest.fixture(scope="session")
def empty_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with empty tables: creating them takes longer than most studies here."""
    pytest.importorskip("optuna")
    file = tmp_path_factory.mktemp("study") / "empty.db"
    check_storage(file)
    return file


@pytest.fixture
def study(tmp_path: Path, empty_study: Path) -> Path:
    return Path(shutil.copy(empty_study, tmp_path / "study.db"))


class Trainings:
    """Stands in for ``train_model`` in trials; the default score is the learning rate of the features."""

    def __init__(self) -> None:
        self.score_of: Callable[[Configuration], float] = lambda settings: settings.training.rate_features
        self.asked: list[Configuration] = []

    def __call__(
        self, corpus: Corpus, parts: Any, configuration: Configuration, *, preparations: Any
    ) -> Fitted:
        self.asked.append(configuration)
        score = self.score_of(configuration)
        best = Epoch(1, 1.0, 1.0 - score, score)
        return Fitted(None, History([best], best), 1)  # type: ignore[arg-type]


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> Trainings:
    pytest.importorskip("optuna")
    stand_in = Trainings()
    monkeypatch.setattr("disco2.experiments.tuning.train_model", stand_in)
    return stand_in


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the last training gave to ``prepare``, by name, which then prepares nothing."""
    seen: dict[str, Any] = {}

    def spy(training: Any, development: Any, **options: Any) -> Prepared:
        seen.update(options, training=training, development=development)
        return Prepared(None, (), None, development, len(training))  # type: ignore[arg-type]

    monkeypatch.setattr("disco2.experiments.train_run.prepare", spy)
    return seen
