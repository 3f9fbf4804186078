"""A corpus, a place for studies, and trainings that take no time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from disco2.data import Corpus
from tests.experiments.tuning.made_up_study import Trainings, small_corpus


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return small_corpus(tmp_path_factory.mktemp("tuning") / "corpus")


@pytest.fixture(scope="session")
def empty_storage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with empty tables: making them takes longer than most studies here."""
    pytest.importorskip("optuna")
    from disco2.experiments.tuning.storage import open_storage

    file = tmp_path_factory.mktemp("storage") / "empty.db"
    open_storage(f"sqlite:///{file}").engine.dispose()
    return file


@pytest.fixture
def storage(tmp_path: Path, empty_storage: Path) -> str:
    shutil.copy(empty_storage, tmp_path / "study.db")
    return f"sqlite:///{tmp_path / 'study.db'}"


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> Trainings:
    """Trials whose score is the learning rate of the features."""
    pytest.importorskip("optuna")
    stand_in = Trainings()
    monkeypatch.setattr("disco2.experiments.tuning.objective.train_model", stand_in)
    return stand_in
