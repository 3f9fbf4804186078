"""What an experiment finds is on disk when its runs are done; what it lacks is known before they begin."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.role_pairs import write_role_pairs
from disco2.engines import Engine, LocalEngine
from disco2.errors import Disco2Error, MissingExtraError
from disco2.experiments import runs as performing
from disco2.experiments.bench import (
    Bench,
    Experiment,
    Results,
    System,
    carry_out,
    check_packages,
    versions_of_runs,
)
from disco2.experiments.configuration import Configuration
from disco2.experiments.embeddings import EMBEDDINGS
from disco2.experiments.full_model import DIMENSION
from disco2.experiments.runs import RunPlan, versions
from disco2.reporting.findings import Findings

SETTINGS = {"model.K": 8, "training.epochs": 2, "vectors.frequent": 0, "model.features": False}
FIRST = System("first", {"model.kind": "additive"})
SECOND = System("second", {"model.kind": "upward"})


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("corpus")
    write_role_pairs(folder / "pairs", size=60, seed=1)
    corpus = read_corpus("role-pairs", folder / "pairs")
    return Bench({"own": corpus}, Configuration().changed(SETTINGS), (1,))


def experiment(*systems: System, name: str = "", **options: Any) -> Experiment:
    def plans(bench: Bench) -> list[RunPlan]:
        return [plan for system in systems for plan in bench.plans(system)]

    def findings(bench: Bench, results: Results) -> Findings:
        seconds = [results(plan).notes["seconds"] for plan in plans(bench)]
        return Findings(name or systems[0].name, "Found", data={"runs": len(seconds)})

    return Experiment(name or systems[0].name, plans, findings, **options)


def written(output: Path) -> set[str]:
    return {path.stem for path in (output / "findings").glob("*.json")}


@pytest.mark.parametrize("engine", [None, LocalEngine(2)])
def test_findings_are_written_when_the_last_run_of_their_experiment_is_made(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine | None
) -> None:
    train = performing.train_model

    def breaking(corpus: Any, parts: Any, configuration: Configuration, **options: Any) -> Any:
        if configuration.model.kind == "upward":
            raise Disco2Error("broken")
        return train(corpus, parts, configuration, **options)

    experiments = [experiment(FIRST, SECOND, name="both"), experiment(FIRST), experiment(name="none")]
    with monkeypatch.context() as patch:
        patch.setattr(performing, "train_model", breaking)
        with pytest.raises(Disco2Error, match="broken"):
            carry_out(experiments, bench, tmp_path)
    assert written(tmp_path) == {"first", "none"}
    found = carry_out(experiments, bench, tmp_path, engine=engine)
    assert [(one.name, one.data["runs"]) for one in found] == [("both", 2), ("first", 1), ("none", 0)]
    assert written(tmp_path) == {"both", "first", "none"}


def test_findings_train_nothing(bench: Bench, tmp_path: Path) -> None:
    forgotten = experiment(FIRST)
    forgotten = Experiment("forgotten", lambda bench: [], forgotten.findings)
    with pytest.raises(Disco2Error, match="'first' with seed 1 is not finished"):
        carry_out([forgotten], bench, tmp_path)


@pytest.mark.parametrize(
    ("checked", "missing", "where"),
    [
        (DIMENSION, "matplotlib", "disco2.reporting.figures.find_spec"),
        (EMBEDDINGS, "matplotlib", "disco2.reporting.figures.find_spec"),
        (EMBEDDINGS, "sklearn", "disco2.experiments.embeddings.find_spec"),
    ],
)
def test_a_missing_package_is_known_before_any_training(
    bench: Bench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    checked: Experiment,
    missing: str,
    where: str,
) -> None:
    if find_spec(missing) is None or find_spec("matplotlib") is None:
        pytest.skip("one is missing indeed")
    monkeypatch.setattr(where, lambda name: None if name == missing else find_spec(name))
    with pytest.raises(MissingExtraError, match=r"disco2\[plots\]"):
        carry_out([experiment(FIRST), checked], bench, tmp_path)
    assert list(tmp_path.iterdir()) == []
    check_packages([experiment(FIRST)])


def test_versions_are_those_of_the_runs(bench: Bench, tmp_path: Path) -> None:
    experiments = [experiment(FIRST)]
    carry_out(experiments, bench, tmp_path)
    assert versions_of_runs(experiments, bench, tmp_path) == versions()
    (file,) = tmp_path.glob("runs/*/run.json")
    described = json.loads(file.read_text())
    described["versions"]["numpy"] = "1.0"
    file.write_text(json.dumps(described))
    assert versions_of_runs(experiments, bench, tmp_path)["numpy"] == f"{versions()['numpy']}, 1.0"
