"""disco2 models: what it says is what the manifests say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from disco2.bundle import read_manifest, summary
from disco2.shipped import DEFAULT, find_model, shipped_names


def test_its_json_has_every_shipped_model(run: Any) -> None:
    code, out, err = run("models", "--json")
    assert (code, err) == (0, "")
    found = {model["name"]: model for model in json.loads(out)["models"]}
    assert list(found) == shipped_names()
    assert [name for name, model in found.items() if model["default"]] == [DEFAULT]
    for name, model in found.items():
        manifest = read_manifest(find_model(name))
        assert model["digest"] == manifest.to_json()["digest"]
        assert model["licence"] == manifest.data["licence"]
        assert model["what"]
        for one in model["accuracy"]:
            figure = f"test accuracy, {one['measured_on']} ({one['relations']})"
            assert manifest.figures[figure] == one["accuracy"]
        assert len(model["accuracy"]) >= 3


def test_its_table_compares_like_with_like(run: Any) -> None:
    code, out, _ = run("models")
    title, head, *lines = out.splitlines()
    assert (code, title) == (0, "Shipped models")
    assert head.split()[:5] == ["name", "data", "licence", "size", "sentences/s"]
    assert "GUM, given arguments (565)" in head
    assert "DiscoGeM, by document (1537)" in head
    rows = {line.split()[0]: line for line in lines[: len(shipped_names())]}
    assert list(rows) == shipped_names()
    assert "(default)" in rows[DEFAULT]
    accuracy = read_manifest(find_model("en-fast")).figures["test accuracy, GUM, given arguments (565)"]
    assert f" {100 * accuracy:.1f} " in rows["en-fast"]


def test_every_note_is_on_a_model_that_ships() -> None:
    assert sorted(summary.read_notes()) == sorted(shipped_names())


def test_notes_that_cannot_be_read(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "MODELS", tmp_path)
    (tmp_path / summary.NOTES).write_text("[en-fast", encoding="utf-8")
    code, out, err = run("models")
    assert (code, out) == (2, "")
    assert "The notes on the shipped models can't be read" in err
