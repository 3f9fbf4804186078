"""Schemathesis sends requests that the description allows, and others, to a running server."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.interfaces.server.served_process import served

pytestmark = pytest.mark.skipif(find_spec("schemathesis") is None, reason="Schemathesis is not installed")

EXAMPLES, SEED, KEY = 15, 7, "s3cret"
# All checks are on. No schema can say which relations a text has, so valid requests for views may get 422.
CONFIGURATION = """
[[operations]]
include-name = "POST /v1/views"
checks.positive_data_acceptance.expected-statuses = ["2xx", 422]
"""
# The description's own format: such a text has a letter or a digit.
FORMATS = """
import schemathesis
from hypothesis import strategies as st

from disco2.inference.plain_text import has_word

schemathesis.openapi.format("words", st.text(st.characters(codec="utf-8"), min_size=1).filter(has_word))
"""


def test_the_server_does_as_it_says(small_bundle: Path, tmp_path: Path) -> None:
    configuration = tmp_path / "schemathesis.toml"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    (tmp_path / "schemathesis_formats.py").write_text(FORMATS, encoding="utf-8")
    with served(small_bundle, key=KEY) as server:
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(configuration)]
        command += ["run", f"http://127.0.0.1:{server.port}/openapi.json", "--checks", "all"]
        command += ["--max-examples", str(EXAMPLES), "--seed", str(SEED), "--generation-database", "none"]
        command += ["--no-color", "--warnings", "off", "--suppress-health-check", "all"]
        command += ["--header", f"Authorization: Bearer {KEY}"]
        environment = os.environ | {
            "SCHEMATHESIS_HOOKS": "schemathesis_formats",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)]),
        }
        found = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert found.returncode == 0, found.stdout + found.stderr
        assert "Tested: 5" in found.stdout
        server.process.terminate()
        assert server.process.wait(30) == 0
        assert '"level": "error"' not in server.log()
