"""Where the tests keep their caches."""

from __future__ import annotations

from pathlib import Path

import pytest

from disco2.annotation.cache import cache_file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "layers.sqlite3"


@pytest.fixture
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DISCO2_CACHE", str(tmp_path / "cache"))
    return cache_file()
