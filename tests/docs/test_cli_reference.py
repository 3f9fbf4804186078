"""docs/reference/cli.md is what the program declares."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.make_cli_reference import PAGE, cli_page

from disco2.interfaces.cli.app import COMMANDS, GroupEntry


def test_the_page_is_up_to_date() -> None:
    written = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    assert written == cli_page(), "docs/reference/cli.md is stale: run python tools/make_cli_reference.py"


def test_it_has_every_command() -> None:
    page = cli_page()
    for name, declared in COMMANDS.items():
        assert f"\n## disco2 {name}\n" in page
        if isinstance(declared, GroupEntry):
            assert all(f"\n### disco2 {name} {inner}\n" in page for inner in declared.commands)


def test_options_have_their_names_values_and_defaults() -> None:
    page = cli_page()
    for row in (
        "| `--json` | | | Print one JSON object. |",
        "| `--batch-size` | whole number | `64` | Pairs per batch. |",
        "| `--pruning`, `--no-pruning` | | `--pruning` | Stop trials that do worse than most. |",
        "| `--set` | text, repeated | | Any setting, such as model.K=50. May be repeated. |",
        "| `--gum` | path | required | Folder of a checkout of GUM. |",
    ):
        assert row in page


def test_it_depends_on_no_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = cli_page()
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DISCO2_API_KEY", "secret-key")
    assert cli_page() == before
    assert "secret-key" not in before
    assert str(Path.home()) not in before
