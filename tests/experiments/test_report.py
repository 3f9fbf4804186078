"""Tuned settings can be used again and are on the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2.data import Corpus
from disco2.experiments import report as everything
from disco2.experiments.bench import Bench
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.report import tune_systems, tuning_findings, write_report
from disco2.experiments.tuning import LOSS, SCORES, Space, Tuned, define_problem
from disco2.reporting.page import findings_content

optuna = pytest.importorskip("optuna")
RATE = 0.01235


def tune(corpus: Corpus, configuration: Configuration, *, space: Space, **options: Any) -> Tuned:
    """Always finds the same rate."""
    one = replace(space, settings={"rate": ("training.rate_features",)}, distributions={})
    problem = define_problem(corpus, configuration, one)
    trial = optuna.trial.create_trial(
        params={"rate": RATE},
        distributions={"rate": optuna.distributions.FloatDistribution(0, 1)},
        value=0.5,
        user_attrs={SCORES: [0.5], LOSS: None},
    )
    return Tuned(problem, [trial])


def test_tuned_settings_are_files_and_on_the_page(
    role_pairs: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(everything, "tune", tune)
    bench = Bench({"own": role_pairs}, Configuration(), (1,))
    tuned = tune_systems(bench, tmp_path, grid="quick")
    assert {path.name for path in (tmp_path / "tuned").iterdir()} >= {
        "upward-entities-features.toml",
        "comparison-or-not.toml",
    }
    system = "upward + entities"
    assert read_configuration(tmp_path / "tuned" / "upward-entities.toml") == tuned[system].configuration
    assert tuned[system].configuration.training.rate_features == RATE
    findings = tuning_findings(bench, tuned, grid="quick")
    content = findings_content(findings)["data"][system]
    assert content["file"] == "tuned/upward-entities.toml"
    assert content["best"]["values"] == {"rate": RATE}
    page = write_report(bench, [findings], tmp_path, {}).read_text(encoding="utf-8")
    assert page.count("0.0123") == len(tuned)
