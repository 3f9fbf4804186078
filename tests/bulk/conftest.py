"""The small model on disk, and runs with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bulk.stand_in import Predicting, write_corpus
from tests.inference.small_pipeline import write_small_bundle


@pytest.fixture(scope="session")
def predict(tmp_path_factory: pytest.TempPathFactory) -> Predicting:
    return Predicting(write_small_bundle(tmp_path_factory.mktemp("bundle") / "small"))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Sixty documents."""
    return write_corpus(tmp_path / "corpus", 60)
