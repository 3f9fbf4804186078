"""Findings on the disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from disco2.errors import InputError, MissingExtraError
from disco2.reporting.findings import Findings
from disco2.reporting.tables import csv, latex, markdown
from disco2.reporting.writing import write_findings, write_page
from tests.reporting.made_up import EVERYTHING, LADDER, TESTS

FILES = {
    "findings/everything.json",
    *(f"tables/{name}.{ending}" for name in ("ladder", "tests") for ending in ("md", "csv", "tex")),
    *(f"figures/{name}.{ending}" for name in ("lines", "map") for ending in ("png", "svg")),
}


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_all_files_and_no_others(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    written = write_findings(EVERYTHING, tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in written} == FILES
    assert files(tmp_path) == FILES
    assert (tmp_path / "tables" / "ladder.md").read_text(encoding="utf-8") == markdown(LADDER)
    assert (tmp_path / "tables" / "tests.csv").read_text(encoding="utf-8") == csv(TESTS)
    assert (tmp_path / "tables" / "tests.tex").read_text(encoding="utf-8") == latex(TESTS)
    before = {path: path.read_bytes() for path in written}
    assert write_findings(EVERYTHING, tmp_path) == written
    assert {path: path.read_bytes() for path in written} == before


def test_json_has_kinds_and_no_nan(tmp_path: Path) -> None:
    write_findings(replace(EVERYTHING, figures=()), tmp_path)
    content = json.loads(
        (tmp_path / "findings" / "everything.json").read_text(encoding="utf-8"), parse_constant=pytest.fail
    )
    assert content["data"] == {"seeds": [1, 2], "nothing": None}
    row = content["tables"][0]["rows"][2]
    assert row[:3] == ["full_model", "yes", 1000]
    assert row[3]["kind"] == "measure"
    assert (row[3]["mean"], row[3]["interval"], row[3]["published"]) == (0.472, [0.435, 0.509], False)
    assert row[4]["published"] is True
    assert [cell["kind"] for cell in content["tables"][1]["rows"][0][1:]] == ["difference", "p"]
    assert content["confusions"][0]["labels"] == ["Cause", "Contrast", "Purpose"]
    assert content["turned"][0]["entities"] == [[["Tina"], ["She"]]]


def test_without_matplotlib_the_rest_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disco2.reporting.figures.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError):
        write_findings(EVERYTHING, tmp_path)
    assert files(tmp_path) == {name for name in FILES if not name.startswith("figures/")}


def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name of a file"):
        write_findings(Findings("../else", "T"), tmp_path)
    assert files(tmp_path) == set()


def test_the_page(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "report.html"
    write_page(path, [replace(EVERYTHING, figures=())], title="T", settings="", versions={}, facts={})
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
