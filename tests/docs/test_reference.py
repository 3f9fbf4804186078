"""The pages of reference are what the program declares: commands, settings, and senses of the model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from disco2.bundle import read_manifest
from disco2.shipped import find_model
from tests.docs.snippets import DOCS
from tools.make_cli_reference import PAGE, cli_page
from tools.make_settings_reference import settings_page


def test_the_page_of_commands_is_up_to_date(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "40")  # the page depends on no machine
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DISCO2_API_KEY", "secret-key")
    page = cli_page()
    assert page == PAGE.read_text(encoding="utf-8"), "run: python tools/make_cli_reference.py"
    for row in (
        "| `--json` | | | Print one JSON object. |",
        "| `--size` | whole number | `2000` |",
        "| `--access-log`, `--no-access-log` | | `--access-log` | Log every request on standard error",
        "| `--set` | text, repeated | | Any setting, such as model.K=50. |",
    ):
        assert row in page


def test_the_page_of_settings_is_up_to_date() -> None:
    page = (DOCS / "reference" / "settings.md").read_text(encoding="utf-8")
    assert page == settings_page(), "run: python tools/make_settings_reference.py"


def test_every_outcome_is_explained() -> None:
    page = (DOCS / "reference" / "senses.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\| ([A-Z][\w.-]+) \| [^|]+ \| [^|]+ \|$", page, re.MULTILINE)
    assert sorted(explained) == sorted(read_manifest(find_model()).labels)
