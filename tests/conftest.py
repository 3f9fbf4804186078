"""What several test files share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def gum() -> Path:
    """The folder of the GUM corpus; tests that need it skip where it is absent."""
    path = Path(os.environ.get("DISCO2_GUM", ROOT.parent / "shared" / "data" / "gum"))
    if not (path / "rst" / "gdtb").is_dir():
        pytest.skip(f"no GUM corpus at {path}; set DISCO2_GUM to its folder to run this test")
    return path
