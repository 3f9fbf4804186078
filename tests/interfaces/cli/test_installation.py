"""disco2 --version and models."""

from __future__ import annotations

import json

from disco2.bundle import read_manifest, summary
from disco2.shipped import DEFAULT, find_model, shipped_names
from disco2.version import VERSION
from tests.interfaces.conftest import Run


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"disco2 {VERSION}\n", "")


def test_models_as_json(run: Run) -> None:
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


def test_models_as_a_table(run: Run) -> None:
    _, out, _ = run("models")
    title, head, *lines = out.splitlines()
    assert title == "Shipped models"
    assert head.split()[:5] == ["name", "data", "licence", "size", "sentences/s"]
    assert "GUM, given arguments (565)" in head
    rows = {line.split()[0]: line for line in lines[: len(shipped_names())]}
    assert list(rows) == shipped_names() == sorted(summary.read_notes(), key=shipped_names().index)
    assert "(default)" in rows[DEFAULT]
