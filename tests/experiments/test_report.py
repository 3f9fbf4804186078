"""Tuned settings can be used again; the page names them and opens with the findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from disco2.data import Corpus
from disco2.experiments import report as everything
from disco2.experiments.bench import Bench
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.report import tune_systems, tuning_findings, write_report
from disco2.experiments.tuning import TrialRecord, Tuned
from disco2.experiments.tuning_problem import Dimension, Space, define_problem
from disco2.reporting.page import findings_content

RATE = 0.012345678


def tune(corpus: Corpus, configuration: Configuration, **options: Any) -> Tuned:
    """Always finds the same rate."""
    space = Space("quick", (Dimension("rate_features", ("training.rate_features",), (RATE,)),), trials=1)
    problem = define_problem(corpus, configuration, space)
    return Tuned(problem, (TrialRecord(0, "complete", {"rate_features": RATE}, 0.5),))


def test_tuned_settings_are_files_and_on_the_page(
    role_pairs: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(everything, "tune", tune)
    bench = Bench({"own": role_pairs}, Configuration(), (1,))
    tuned = tune_systems(bench, tmp_path, grid="quick", storage=f"sqlite:///{tmp_path}/study.db")
    bench = Bench(
        bench.corpora, bench.configuration, (1,), {name: one.configuration for name, one in tuned.items()}
    )
    assert {path.name for path in (tmp_path / "tuned").iterdir()} >= {
        "upward-entities-features.toml",
        "comparison-or-not.toml",
    }
    system = "upward + entities"
    assert read_configuration(tmp_path / "tuned" / "upward-entities.toml") == tuned[system].configuration
    findings = tuning_findings(bench, tuned, grid="quick")
    content = findings_content(findings)["data"][system]
    assert content["file"] == "tuned/upward-entities.toml"
    assert content["best"]["values"] == {"rate_features": RATE}
    page = write_report(bench, [findings], tmp_path, {}).read_text(encoding="utf-8")
    assert "upward + entities (tuned/upward-entities.toml):" in page
    assert page.count(f"training.rate_features = {RATE}") == len(tuned)
