"""Layers of the miniature Penn Discourse Treebank, written once for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpora.miniature import documents, write_coreference, write_dependencies, write_trees

DOCUMENTS = documents()


@pytest.fixture(scope="session")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trees(tmp_path_factory.mktemp("trees"), DOCUMENTS)


@pytest.fixture(scope="session")
def coreference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_coreference(tmp_path_factory.mktemp("coreference"), DOCUMENTS)


@pytest.fixture(scope="session")
def dependencies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dependencies(tmp_path_factory.mktemp("dependencies"), DOCUMENTS)
