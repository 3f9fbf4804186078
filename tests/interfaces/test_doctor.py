"""disco2 doctor: it finds what is broken, says what to do, and survives it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2 import shipped as shipped_models
from disco2.inference import loading
from disco2.inference.pipeline import Pipeline
from disco2.interfaces.doctor import requirements as requirements_module
from disco2.interfaces.doctor.annotators import annotators
from disco2.interfaces.doctor.examination import SELF_TEST, examination
from disco2.interfaces.doctor.extras import extra_finding
from disco2.interfaces.doctor.findings import (
    ABSENT,
    FAILED,
    OK,
    REINSTALL,
    SKIPPED,
    WARNING,
    Finding,
    Report,
    Section,
    examined,
    plain,
)
from disco2.interfaces.doctor.model import model
from disco2.interfaces.doctor.places import places
from disco2.interfaces.doctor.requirements import Needed, requirements
from disco2.interfaces.doctor.self_test import CHECKS, SelfTest
from disco2.interfaces.doctor.server_test import server
from disco2.interfaces.doctor.surroundings import surroundings
from disco2.interfaces.doctor.training_test import training
from disco2.shipped import find_model
from disco2.version import VERSION

PROGRAM = [sys.executable, "-c", "from disco2.interfaces.cli import main; main()"]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A copy of the shipped model, to be damaged."""
    return shutil.copytree(find_model("en-fast"), tmp_path / "copy")


@pytest.fixture(scope="module")
def shipped() -> Pipeline:
    return loading.load()


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


def test_a_sound_installation(run: Any) -> None:
    code, out, err = run("doctor")
    assert err == ""
    assert out.startswith(f"disco2 {VERSION}\n")
    assert "Tina ~ She, Bob ~ He" in out
    assert "the same scores" in out
    assert not [line for line in out.splitlines() if line != line.rstrip()]
    assert code == 0, out
    assert " failed " not in out


def test_its_json(run: Any) -> None:
    code, out, err = run("doctor", "--quick", "--json")
    content = json.loads(out)
    assert (code, err) == (0, "")
    assert (content["schema"], content["disco2"]) == (1, VERSION)
    assert content["status"] in (OK, WARNING)
    assert list(content["sections"]) == [
        "installation",
        "extras",
        "arithmetic",
        "model",
        "annotators",
        "places",
    ]
    for findings in content["sections"].values():
        for finding in findings:
            assert finding.keys() == {"name", "status", "found", "advice", "facts"}
            assert finding["status"] in (OK, ABSENT) or finding["advice"]
    (manifest, files, _) = content["sections"]["model"]
    assert manifest["facts"]["licence"].startswith("CC BY-NC-SA 4.0")
    assert manifest["facts"]["digest"] == loading.model_digest()
    assert (files["facts"]["verified"], files["facts"]["damaged"]) == (5, [])


def test_quick_leaves_the_self_test_out() -> None:
    assert SELF_TEST not in examination(find_model(), quick=True)
    assert list(examination(find_model()))[-1] == SELF_TEST


def test_no_secret_and_no_home_is_shown(run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "home-of-somebody"
    bundle = shutil.copytree(find_model(), home / "model")
    (bundle / "parameters.safetensors").unlink()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("DISCO2_CACHE", raising=False)
    monkeypatch.setenv("DISCO2_API_KEY", "secret-key")
    code, out, _ = run("doctor", "--quick", "--json", "--model", bundle)
    assert code == 2
    assert "secret-key" not in out
    assert "home-of-somebody" not in out
    assert "~/model" in out


def test_damaged_weights(run: Any, bundle: Path) -> None:
    weights = bundle / "parameters.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    (bundle / "MODEL_CARD.md").unlink()
    code, out, _ = run("doctor", "--quick", "--model", bundle)
    assert code == 2
    assert "missing: MODEL_CARD.md; damaged: parameters.safetensors" in out
    assert "-> Copy the model again" in out
    assert "failed: 1; see the arrows above" in out
    tested = by_name(SelfTest(bundle).findings())
    assert (tested["annotating"].status, tested["model"].status) == (OK, FAILED)
    assert {tested[name].status for name in CHECKS} == {SKIPPED}
    assert server(None)[0].status == SKIPPED


def test_a_missing_manifest(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bundle / "bundle.json").unlink()
    manifest, files, vectors = model(bundle)
    assert (manifest.status, files.status, vectors.status) == (FAILED, SKIPPED, OK)
    assert "disco2 train" in manifest.advice
    monkeypatch.setattr(shipped_models, "MODELS", bundle.parent)
    assert model(bundle)[0].advice == REINSTALL
    assert {finding.status for finding in annotators(bundle)} == {OK}
    loaded = by_name(SelfTest(bundle).findings())["model"]
    assert (loaded.status, loaded.advice) == (FAILED, REINSTALL)


def test_a_newer_format(bundle: Path) -> None:
    content = json.loads((bundle / "bundle.json").read_text(encoding="utf-8"))
    (bundle / "bundle.json").write_text(json.dumps(content | {"format": 99}), encoding="utf-8")
    found = model(bundle)[0]
    assert found.status == FAILED
    assert "format 99" in found.found
    assert "pip install --upgrade disco2" in found.advice


def test_a_model_of_other_annotators(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from disco2.annotation.english import annotators as english

    folder = shutil.copytree(english.SHIPPED, bundle.parent / "english")
    (folder / "coreference" / "model.json").write_bytes(b"{}")
    shutil.rmtree(folder / "constituents")
    monkeypatch.setattr(english, "SHIPPED", folder)
    found = by_name(annotators(bundle))
    assert found["syntax"].status == OK
    assert (found["coreference"].status, found["constituents"].status) == (WARNING, FAILED)
    assert "trained with others" in found["coreference"].found


def test_packages_that_fail_in_their_own_ways(tmp_path: Path) -> None:
    """A spaCy that can't be imported, a numba that does not know this NumPy, and no home to write to."""
    broken = {"spacy": "OSError('no such library')", "numba": "ImportError('needs NumPy 2')"}
    for package, error in broken.items():
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(f"raise {error}\n", encoding="utf-8")
    occupied = tmp_path / "file"
    occupied.write_text("", encoding="utf-8")
    environment = {"PYTHONPATH": str(tmp_path), "DISCO2_CACHE": str(occupied / "cache")}
    done = subprocess.run(
        [*PROGRAM, "doctor", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    sections = json.loads(done.stdout)["sections"]
    found = {one["name"]: one for findings in sections.values() for one in findings}
    if "spacy" in found:
        assert found["spacy"]["status"] == FAILED
        assert "no such library" in found["spacy"]["found"]
        assert "pip install" in found["spacy"]["advice"]
    assert [found[name]["status"] for name in ("annotating", "model", *CHECKS)] == [
        FAILED,
        OK,
        *[SKIPPED] * len(CHECKS),
    ]
    assert found["training"]["status"] == OK  # NumPy does the same
    assert found["cache"]["status"] == WARNING
    compiled = found["compiled code"]
    assert compiled["facts"]["used"] is False
    assert compiled["status"] in (WARNING, ABSENT)  # absent where SciPy is not installed


def test_a_folder_of_its_own_for_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISCO2_CACHE", str(tmp_path / "new"))
    found = by_name(places())["cache"]
    assert (found.status, found.facts["documents"], found.facts["writable"]) == (OK, 0, True)
    assert not (tmp_path / "new").exists()
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "DISCO2_CACHE" in by_name(places())["cache"].advice


def test_no_place_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    found = by_name(places())["temporary files"]
    assert (found.status, "TMPDIR" in found.advice) == (FAILED, True)
    assert training()[0].status == FAILED


def test_a_checkout_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise requirements_module.PackageNotFoundError(name)

    for asked in ("version", "requires", "distribution"):
        monkeypatch.setattr(requirements_module, asked, unknown)
    found = by_name(surroundings())
    assert found["disco2"].status == WARNING
    assert "not installed as a package" in found["disco2"].found
    assert set(found) == {"disco2", "Python"}


DECLARED = {
    "disco2": [
        "numpy>=1.0",
        "typer>=9999",
        "no-such-package>=2; python_version >= '3'",
        "only-elsewhere; sys_platform == 'plan9'",
        "numpy>=1; extra == 'small'",
        "missing-one>=3; extra == 'small'",
        "disco2[small]; extra == 'large'",
        "typer[shiny]; extra == 'large'",
    ],
    "typer": ["shine>=1; extra == 'shiny'", "click"],
}


def test_requirements_are_read_from_the_metadata() -> None:
    pytest.importorskip("packaging")
    base = requirements(lambda name: DECLARED.get(name, []))
    assert [(one.name, bool(one.installed), one.fits) for one in base] == [
        ("numpy", True, True),
        ("typer", True, False),
        ("no-such-package", False, False),
    ]
    small = requirements(lambda name: DECLARED.get(name, []), extra="small")
    assert [str(one) for one in small] == ["numpy>=1", "missing-one>=3"]
    large = requirements(lambda name: DECLARED.get(name, []), extra="large")
    assert [str(one) for one in large] == ["typer", "numpy>=1", "missing-one>=3", "shine>=1"]
    found = extra_finding("large", large)
    assert (found.status, found.found) == (ABSENT, "missing: missing-one, shine")
    assert found.facts["missing"] == ["missing-one>=3", "shine>=1"]
    assert found.advice.endswith('pip install "disco2[large]"')
    many = extra_finding("many", [Needed(f"p{number}", "", "", fits=False) for number in range(9)])
    assert many.found == "missing: p0, p1, p2, p3, p4 and 4 more"
    assert len(many.facts["missing"]) == 9


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("packaging")
    monkeypatch.setattr(requirements_module, "_requires", lambda name: DECLARED.get(name, []))
    found = by_name(surroundings())
    assert (found["numpy"].status, found["typer"].status) == (OK, FAILED)
    assert found["no-such-package"].advice == 'Get it with: pip install "no-such-package>=2"'


def test_the_worst_finding_is_the_verdict() -> None:
    def report(*statuses: str) -> str:
        return Report([Section("one", [Finding("a", status, "") for status in statuses])]).status

    assert report(OK, ABSENT, SKIPPED) == OK
    assert report(OK, WARNING) == WARNING
    assert report(WARNING, FAILED, OK) == FAILED


def test_whatever_is_raised_becomes_a_finding() -> None:
    def exits() -> Finding:
        raise SystemExit(3)

    def fails() -> Finding:
        raise ValueError(f"in {Path.home()}/x\nand more " + "y" * 1000)

    assert examined("a", exits).found == "SystemExit: 3"
    found = examined("b", fails, advice="Do this.")
    assert (found.status, found.advice) == (FAILED, "Do this.")
    assert found.found.startswith("ValueError: in ~/x and more yyy")
    assert len(found.found) == 400
    assert plain(" a\n b ") == "a b"


def test_the_server_is_made_and_a_broken_one_found_out(
    shipped: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi")
    pytest.importorskip("prometheus_client")
    (found,) = server(shipped)
    assert found.status == OK, found

    def refuse(_: Pipeline) -> None:
        raise TypeError("a FastAPI of another age")

    monkeypatch.setattr("disco2.interfaces.server.app.make_app", refuse)
    (found,) = server(shipped)
    assert (found.status, "another age" in found.found) == (FAILED, True)
    assert "disco2[serve]" in found.advice


def test_a_wrong_pipeline_is_found_out(monkeypatch: pytest.MonkeyPatch, shipped: Pipeline) -> None:
    class Deaf(Pipeline):
        """Finds nobody again, and is too sure of itself."""

        def find(self, document: Any, choice: Any, **options: Any) -> Any:
            found = super().find(document, choice, **options)
            return [
                replace(one, entities=(), probabilities=dict.fromkeys(one.probabilities, 0.5))
                for one in found
            ]

    deaf = Deaf(shipped.annotators, shipped.model, shipped.calibration, info=shipped.info)
    monkeypatch.setattr(loading, "load", lambda _, annotators: deaf)
    found = by_name(SelfTest(find_model()).findings())
    assert {name for name, one in found.items() if one.status == FAILED} == {"coreference", "probabilities"}
    assert "'She' was not taken for 'Tina', but: nobody." in found["coreference"].found
