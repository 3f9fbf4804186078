"""A small bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from disco2.bundle import save_bundle
from tests.bundle.test_bundle import small_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_bundle(small_model(), tmp_path / "m")
    return tmp_path / "m"
