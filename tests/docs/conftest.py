"""The documentation, built once."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.snippets import DOCS

NOWHERE = "http://nowhere.invalid:9"  # whatever wants something from the network fails
NEEDED = ("mkdocs", "material", "mkdocstrings_handlers")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; that it can be built, without a warning, is tested here."""
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        pytest.skip('the documentation needs: pip install "disco2[docs]"')
    folder = tmp_path_factory.mktemp("site")
    made = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=DOCS.parent,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "http_proxy": NOWHERE, "https_proxy": NOWHERE},
        capture_output=True,
        text=True,
        timeout=300,
    )
    said = made.stdout + made.stderr
    assert made.returncode == 0, said
    assert "WARNING" not in said
    return folder
