"""The small model on disk, and runs with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bulk.stand_in import Predicting, write_corpus
from tests.inference.small_pipeline import write_small_bundle


@pytest.fixture(scope="session")
def predict(tmp_path_factory: pytest.TempPathFactory) -> Predicting:
    return Predicting(write_small_bundle(tmp_path_factory.mktemp("bundle") / "small"))


@pytest.fixture(scope="package", autouse=True)
def environment() -> Iterator[None]:
    """Dask sets variables of the workers that it starts."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Sixty documents."""
    return write_corpus(tmp_path / "corpus", 60)
