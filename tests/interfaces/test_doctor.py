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
from disco2.interfaces.doctor import ABSENT, FAILED, OK, REINSTALL, SKIPPED, WARNING, Finding
from disco2.shipped import find_model
from disco2.version import VERSION
from tests.interfaces.conftest import Run


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A copy of a shipped model, to be damaged."""
    return shutil.copytree(find_model("en-fast"), tmp_path / "copy")


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


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
    assert content["status"] in (OK, WARNING)
    assert list(content["sections"]) == ["installation", "extras", "model", "annotators"]  # no self-test
    for findings in content["sections"].values():
        for finding in findings:
            assert finding.keys() == {"name", "status", "found", "advice"}
            assert finding["status"] in (OK, ABSENT) or finding["advice"]
    manifest, files = content["sections"]["model"]
    assert "licence CC BY-NC-SA 4.0" in manifest["found"]
    assert f"digest {loading.model_digest()[:8]}" in manifest["found"]
    assert files["found"].startswith("5 files verified")


def test_no_secret_and_no_home_folder_is_shown(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home-of-somebody"
    bundle = shutil.copytree(find_model(), home / "model")
    (bundle / "parameters.safetensors").unlink()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("DISCO2_API_KEY", "secret-key")
    code, out, _ = run("doctor", "--quick", "--json", "--model", bundle)
    assert code == 2
    assert "secret-key" not in out
    assert "home-of-somebody" not in out
    assert "~/model" in out


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
    assert re.search(r"failed: 1, warnings: \d+; see the arrows above", out)
    tested = by_name(doctor.run_self_test(bundle))
    assert (tested["annotating"].status, tested["prediction"].status) == (OK, FAILED)


def test_a_missing_manifest(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bundle / "bundle.json").unlink()
    manifest, files = doctor.check_model(bundle)
    assert (manifest.status, files.status) == (FAILED, SKIPPED)
    assert "disco2 train" in manifest.advice
    monkeypatch.setattr(shipped_models, "MODELS", bundle.parent)
    assert doctor.check_model(bundle)[0].advice == REINSTALL
    assert {finding.status for finding in doctor.check_annotators(bundle)} == {OK}
    assert doctor.run_self_test(bundle)[1].advice == REINSTALL


def test_a_model_of_other_annotators(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = read_manifest(bundle)
    assert doctor.check_annotators(bundle)[0].status == OK
    other = replace(manifest, data={"annotators": "disco2 of another version"})
    monkeypatch.setattr("disco2.bundle.read_manifest", lambda folder: other)
    (found,) = doctor.check_annotators(bundle)
    assert (found.status, "trained with others" in found.found) == (WARNING, True)


def test_a_package_that_cant_be_imported(tmp_path: Path) -> None:
    (tmp_path / "spacy").mkdir()
    (tmp_path / "spacy" / "__init__.py").write_text("raise OSError('no such library')\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "disco2", "doctor", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    sections = json.loads(done.stdout)["sections"]
    found = {one["name"]: one for findings in sections.values() for one in findings}
    assert found["spacy"]["status"] == FAILED
    assert "no such library" in found["spacy"]["found"]
    assert "pip install" in found["spacy"]["advice"]
    assert (found["annotating"]["status"], found["prediction"]["status"]) == (FAILED, SKIPPED)


def test_a_checkout_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise doctor.PackageNotFoundError(name)

    for asked in ("version", "requires", "distribution"):
        monkeypatch.setattr(doctor, asked, unknown)
    found = by_name(doctor.check_installation())
    assert set(found) == {"disco2", "Python"}
    assert found["disco2"].status == WARNING
    assert "not installed as a package" in found["disco2"].found
    assert doctor.check_extras() == []


DECLARED = [
    "numpy>=1.0",
    "typer>=9999",
    "no-such-package>=2; python_version >= '3'",
    "only-elsewhere; sys_platform == 'plan9'",
    "numpy>=1; extra == 'small'",
    "missing-one>=3; extra == 'small'",
]


def test_requirements_come_from_the_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("packaging")
    monkeypatch.setattr(doctor, "requires", lambda name: DECLARED)
    found = by_name(doctor.check_installation())
    assert list(found) == ["disco2", "Python", "numpy", "typer", "no-such-package"]
    assert (found["numpy"].status, found["typer"].status) == (OK, FAILED)
    assert found["no-such-package"].advice == 'Get it with: pip install "no-such-package>=2"'
    assert [str(one) for one in doctor.requirements("small")] == ["numpy>=1", "missing-one>=3"]
    extras = by_name(doctor.check_extras())
    assert "dev" not in extras
    assert {one.status for one in extras.values()} == {OK}  # nothing of them is declared here


def test_an_extra_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "requires", lambda name: ["missing-one>=3; extra == 'serve'"])
    found = by_name(doctor.check_extras())["serve"]
    assert (found.status, found.found) == (ABSENT, "missing: missing-one>=3")
    assert found.advice.endswith('pip install "disco2[serve]"')


def test_any_exception_becomes_a_finding() -> None:
    def exits() -> Finding:
        raise SystemExit(3)

    def fails() -> Finding:
        raise ValueError(f"in {Path.home()}/x\nand more " + "y" * 1000)

    assert doctor.run_check("a", exits).found == "SystemExit: 3"
    found = doctor.run_check("b", fails, advice="Do this.")
    assert (found.status, found.advice) == (FAILED, "Do this.")
    assert found.found.startswith("ValueError: in ~/x and more yyy")
    assert len(found.found) == doctor.LONGEST


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"entities": ()}, "'She' was not resolved to 'Tina': no chain."),
        ({"probabilities": {"EntRel": 0.5, "NoRel": 0.6}}, "The probabilities add up to"),
    ],
)
def test_a_wrong_prediction_is_reported(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], message: str
) -> None:
    true = Pipeline.find

    def wrong(self: Pipeline, *arguments: Any, **options: Any) -> Any:
        return [replace(one, **changes) for one in true(self, *arguments, **options)]

    monkeypatch.setattr(Pipeline, "find", wrong)
    found = by_name(doctor.run_self_test(find_model("en-fast")))["prediction"]
    assert (found.status, message in found.found) == (FAILED, True)
