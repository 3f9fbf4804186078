"""disco2 doctor finds what is broken, says what to do, and survives it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2 import shipped as shipped_models
from disco2.bundle import read_manifest
from disco2.inference import pipeline as loading
from disco2.inference.pipeline import Pipeline
from disco2.interfaces import doctor
from disco2.interfaces.doctor import ABSENT, FAILED, OK, REINSTALL, WARNING, Finding
from disco2.shipped import find_model
from disco2.version import VERSION
from tests.interfaces.conftest import Run


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A copy of a shipped model, to be damaged."""
    return shutil.copytree(find_model("en-fast"), tmp_path / "copy")


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


def checked(folder: Path, section: str) -> list[Finding]:
    return doctor.checks(folder)[section]()


def test_a_sound_installation(run: Run) -> None:
    code, out, err = run("doctor")
    assert (code, err) == (0, ""), out
    assert out.startswith(f"disco2 {VERSION}\n")
    assert "Tina ~ She" in out
    assert " failed " not in out


def test_json_report(run: Run) -> None:
    code, out, err = run("doctor", "--quick", "--json")
    content = json.loads(out)
    assert (code, err) == (0, "")
    assert (content["schema"], content["disco2"]) == (doctor.SCHEMA, VERSION)
    assert list(content["sections"]) == ["installation", "extras", "model", "annotators"]  # no self-test
    for findings in content["sections"].values():
        for finding in findings:
            assert finding.keys() == {"name", "status", "found", "advice"}
            assert finding["status"] in (OK, ABSENT) or finding["advice"]
    (model,) = content["sections"]["model"]
    for said in ("licence CC BY-NC-SA 4.0", f"digest {loading.model_digest()}", "5 files verified"):
        assert said in model["found"]


def test_no_secret_and_no_home_folder_is_shown(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home-of-somebody"
    bundle = shutil.copytree(find_model(), home / "model")
    (bundle / "parameters.safetensors").unlink()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("DISCO2_API_KEY", "secret-key")
    code, out, _ = run("doctor", "--quick", "--json", "--model", bundle)
    assert (code, "secret-key" in out, "home-of-somebody" in out, "~/model" in out) == (2, False, False, True)


def test_damaged_and_missing_files(run: Run, bundle: Path) -> None:
    weights = bundle / "parameters.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    (bundle / "MODEL_CARD.md").unlink()
    code, out, _ = run("doctor", "--quick", "--model", bundle)
    assert code == 2
    assert "missing: MODEL_CARD.md; damaged: parameters.safetensors" in out
    assert "-> Copy the model again" in out
    assert re.search(r"failed: 1, warnings: \d+; the arrows above", out)
    assert checked(bundle, "self-test")[0].status == FAILED


def test_a_missing_manifest(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bundle / "bundle.json").unlink()
    (found,) = checked(bundle, "model")
    assert (found.status, "disco2 train" in found.advice) == (FAILED, True)
    monkeypatch.setattr(shipped_models, "MODELS", bundle.parent)
    assert checked(bundle, "model")[0].advice == REINSTALL
    assert checked(bundle, "annotators")[0].status == OK


def test_a_model_of_other_annotators(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = read_manifest(bundle).model_copy(update={"data": {"annotators": "disco2 of another version"}})
    assert checked(bundle, "annotators")[0].status == OK
    monkeypatch.setattr("disco2.bundle.read_manifest", lambda folder: other)
    (found,) = checked(bundle, "annotators")
    assert (found.status, "trained with others" in found.found) == (WARNING, True)


def test_a_package_that_cant_be_imported(tmp_path: Path) -> None:
    (tmp_path / "spacy").mkdir()
    (tmp_path / "spacy" / "__init__.py").write_text("raise OSError('no such library')\n", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "disco2", "doctor", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    sections = json.loads(done.stdout)["sections"]
    found = {one["name"]: one for findings in sections.values() for one in findings}
    assert found["spacy"]["status"] == FAILED
    assert "no such library" in found["spacy"]["found"]
    assert "pip install" in found["spacy"]["advice"]
    assert found["self-test"]["status"] == FAILED


def test_requirements_come_from_the_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = [
        "numpy>=1.0",
        "typer>=9999",
        "no-such-package>=2; python_version >= '3'",
        "only-elsewhere; sys_platform == 'plan9'",
        "numpy>=1; extra == 'serve'",
        "missing-one>=3; extra == 'serve'",
        "missing-one>=3; extra == 'dev'",
        "numpy>=1; extra == 'sklearn'",
    ]
    monkeypatch.setattr(doctor, "requires", lambda name: declared)
    found = by_name(doctor.check_installation())
    assert list(found) == ["disco2", "Python", "numpy", "typer", "no-such-package"]
    assert (found["numpy"].status, found["typer"].status) == (OK, FAILED)
    assert (
        found["no-such-package"].advice
        == 'Install it again: pip install --force-reinstall "no-such-package>=2"'
    )
    extras = by_name(doctor.check_extras())
    assert {name: one.status for name, one in extras.items()} == {"serve": ABSENT, "sklearn": OK}
    assert extras["serve"].found == "missing: missing-one>=3"
    assert extras["serve"].advice.endswith('pip install "disco2[serve]"')

    def unknown(name: str) -> list[str]:
        raise doctor.PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "requires", unknown)
    program, python = doctor.check_installation()
    assert (program.status, "requirements are unknown" in program.found, python.status) == (WARNING, True, OK)
    assert doctor.check_extras() == []


def test_any_exception_becomes_a_finding() -> None:
    def exits() -> str:
        raise SystemExit(3)

    def fails() -> str:
        raise ValueError(f"in {Path.home()}/x\nand more " + "y" * 1000)

    assert doctor.run_check("a", exits).found == "SystemExit: 3"
    found = doctor.run_check("b", fails, advice="Do this.")
    assert (found.status, found.advice) == (FAILED, "Do this.")
    assert found.found.startswith("ValueError: in ~/x and more yyy")
    assert len(found.found) == doctor.LONGEST


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"entities": ()}, "expected 2 relations and Tina ~ She"),
        ({"probabilities": {"EntRel": 0.5, "NoRel": 0.6}}, "sums of probabilities: [1.1, 1.1]"),
    ],
)
def test_a_wrong_prediction_is_reported(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], message: str
) -> None:
    true = Pipeline.find

    def wrong(self: Pipeline, *arguments: Any, **options: Any) -> Any:
        return [replace(one, **changes) for one in true(self, *arguments, **options)]

    monkeypatch.setattr(Pipeline, "find", wrong)
    found = checked(find_model("en-fast"), "self-test")[0]
    assert (found.status, message in found.found) == (FAILED, True)
