"""Runs of experiments are done and findings written; measures and tests of differences."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disco2.data import Corpus
from disco2.errors import MissingExtraError
from disco2.evaluation.significance import paired_bootstrap, sign_test
from disco2.experiments.bench import (
    Bench,
    Experiment,
    GroupResults,
    Groups,
    System,
    carry_out,
    compare,
    compare_answers,
    measure,
    stacked,
)
from disco2.experiments.configuration import Configuration
from disco2.experiments.embeddings import EMBEDDINGS
from disco2.experiments.evaluating import Answers
from disco2.experiments.paper import DIMENSION
from disco2.reporting.findings import Difference, Findings, PValue

SETTINGS = {"model.K": 8, "training.epochs": 2, "vectors.frequent": 0, "model.features": False}
FIRST = System("first", {"model.kind": "additive"})
SECOND = System("second", {"model.kind": "upward"})


@pytest.fixture
def bench(role_pairs: Corpus) -> Bench:
    return Bench({"own": role_pairs}, Configuration().changed(SETTINGS), (1,))


def experiment(*systems: System, name: str = "", **options: Any) -> Experiment:
    def groups(bench: Bench) -> Groups:
        return {system.name: bench.plans(system) for system in systems}

    def describe(bench: Bench, runs: GroupResults) -> Findings:
        seconds = [run.notes["seconds"] for some in runs.values() for run in some]
        return Findings(name or systems[0].name, "Found", data={"runs": len(seconds)})

    return Experiment(name or systems[0].name, groups, describe, **options)


def test_experiments_share_runs_and_write_findings(bench: Bench, tmp_path: Path) -> None:
    experiments = [experiment(FIRST, SECOND, name="both"), experiment(FIRST), experiment(name="none")]
    found = carry_out(experiments, bench, tmp_path)
    assert [(one.name, one.data["runs"]) for one in found] == [("both", 2), ("first", 1), ("none", 0)]
    assert {path.stem for path in (tmp_path / "findings").glob("*.json")} == {"both", "first", "none"}
    assert len(list((tmp_path / "runs").iterdir())) == 2


@pytest.mark.parametrize(
    ("checked", "missing", "where"),
    [
        (DIMENSION, "matplotlib", "disco2.reporting.figures.find_spec"),
        (EMBEDDINGS, "matplotlib", "disco2.reporting.figures.find_spec"),
        (EMBEDDINGS, "sklearn", "disco2.reporting.figures.find_spec"),
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


def answers(predicted: str, gold: str = "aabb", relations: str = "1234", labels: str = "ab") -> Answers:
    """One letter a relation."""
    scores = [[float(label == letter) for label in labels] for letter in predicted]
    return Answers(
        tuple(relations),
        ("d",) * len(relations),
        tuple((letter,) for letter in gold),
        np.array([True, True, False, False]),
        tuple(labels),
        np.array(scores, dtype=np.float32),
    )


def test_mean_and_deviation_are_over_seeds_and_the_interval_over_relations() -> None:
    right = stacked([answers("aaaa"), answers("abaa")])
    assert right.tolist() == [[True, True, False, False], [True, False, False, False]]
    found = measure(right)
    assert found is not None
    assert found.mean == 0.375
    assert found.deviation == pytest.approx(0.25 / np.sqrt(2))
    assert found.n == 4
    assert found.interval is not None
    assert 0 <= found.interval[0] < 0.375 < found.interval[1] <= 1
    assert measure(right[:, :0]) is None
    one = measure(right[:1])
    assert one is not None
    assert one.deviation is None


def test_systems_with_different_numbers_of_seeds_are_compared_on_the_chosen_relations() -> None:
    first, second = [answers("aaaa"), answers("aabb")], [answers("bbbb")]
    everywhere, shared = compare_answers("x", first, second)
    assert everywhere == ("x", "all", *(compare(stacked(first), stacked(second)) or ()))
    assert (shared[1], shared[2], shared[5]) == ("shared entities", 2, "2 : 0")


def test_two_systems_are_compared_relation_by_relation() -> None:
    random = np.random.default_rng(3)
    first, second = random.random((3, 60)) < 0.8, random.random((3, 60)) < 0.4
    gaps = [first[:, n].sum() - second[:, n].sum() for n in range(60)]
    wins, losses = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    by_hand = paired_bootstrap(first.mean(axis=0), second.mean(axis=0), seed=1)
    only_first = sum(first[:, n].sum() > 1.5 > second[:, n].sum() for n in range(60))
    only_second = sum(second[:, n].sum() > 1.5 > first[:, n].sum() for n in range(60))
    assert compare(first, second) == (
        60,
        Difference(by_hand.difference, by_hand.interval),
        PValue(by_hand.p),
        f"{wins} : {losses}",
        PValue(sign_test(wins, losses)),
        PValue(sign_test(only_first, only_second)),
    )
    assert compare(first[:, :0], second[:, :0]) is None
