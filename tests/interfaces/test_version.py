"""disco2 --version: the program's version and the model's, whatever state the model is in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from disco2.bundle import read_manifest
from disco2.bundle.manifest import digest
from disco2.interfaces.cli.installation import manifest_digest, version_lines
from disco2.shipped import DEFAULT, MANIFEST, find_model
from disco2.version import VERSION


def test_it_names_program_model_and_annotators(run: Any) -> None:
    code, out, err = run("--version")
    program, model, annotators, running = out.splitlines()
    manifest = read_manifest(find_model())
    assert (code, err, program) == (0, "", f"disco2 {VERSION}")
    assert model.startswith(f"model: {DEFAULT}, ")
    assert f"digest {manifest.to_json()['digest'][:8]}" in model
    assert f"{len(manifest.labels)} labels" in model
    assert manifest.data["annotators"] in annotators
    assert "Python 3." in running


def test_it_hashes_manifests_as_the_rest() -> None:
    content = {"b": [1, 2.5], "a": {"ü": None}}
    assert manifest_digest(content) == digest(content)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the default model's manifest."""
    (tmp_path / DEFAULT).mkdir()
    (tmp_path / DEFAULT / MANIFEST).write_bytes((find_model() / MANIFEST).read_bytes())
    return tmp_path / DEFAULT


def test_a_copy_says_the_same(copy: Path) -> None:
    assert version_lines(copy) == version_lines()


def test_a_changed_manifest_is_told(copy: Path) -> None:
    content = json.loads((copy / MANIFEST).read_text(encoding="utf-8"))
    content["labels"] = content["labels"][1:]
    (copy / MANIFEST).write_text(json.dumps(content), encoding="utf-8")
    assert version_lines(copy)[:2] == [
        f"disco2 {VERSION}",
        "model: damaged (its manifest was changed); see: disco2 doctor",
    ]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"digest": 1}', "null", "[" * 100_000])
def test_a_manifest_that_makes_no_sense_is_told(copy: Path, content: str) -> None:
    (copy / MANIFEST).write_text(content, encoding="utf-8")
    assert version_lines(copy)[1].startswith("model: damaged")


def test_a_missing_model_is_told(copy: Path) -> None:
    assert version_lines(copy / "nowhere")[1] == "model: missing; see: disco2 doctor"
    (copy / MANIFEST).unlink()
    (copy / MANIFEST).mkdir()
    assert version_lines(copy)[1].startswith("model: unreadable")
    shutil.rmtree(copy)
    assert version_lines(copy)[0] == f"disco2 {VERSION}"
