"""What is not in the paper, reported apart from it: other features, another loss, several models in one."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from disco2.experiments.paper.bench import Bench, Experiment, Results, System
from disco2.experiments.paper.crossvalidation import fold_plans, measures_table, over_folds
from disco2.experiments.paper.measuring import measure, stacked
from disco2.experiments.paper.multiclass import FULL, comparison_table
from disco2.experiments.runs.plan import RunPlan
from disco2.experiments.runs.result import RunResult
from disco2.reporting.findings import Cell, Findings, Table

LOGISTIC = {
    "training.loss": "logistic",
    "training.rate_upward": 0.01,
    "training.rate_classification": 0.01,
    "training.rate_features": 0.005,
    "training.dropout": 0.3,
    "training.epochs": 40,
}
CLAUSES = {
    "features.word_pairs": 0,
    "features.dependency_rules": 0,
    "features.production_rules": 100,
    "features.predicates": 150,
    "features.attachment": 100,
    "features.openings": 150,
    "features.layout": True,
    "features.overlap": True,
}
ENSEMBLE = {"model.members": 5, "model.surface_members": 2}

# Each adds one thing to the one before it.
STEPS = (
    FULL,  # here with the settings as given, even where others were found for it
    System("+ logistic loss, dropout", {**FULL.changes, **LOGISTIC}),
    System("+ features of clauses", {**FULL.changes, **LOGISTIC, **CLAUSES}),
    System("+ several models in one", {**FULL.changes, **LOGISTIC, **CLAUSES, **ENSEMBLE}),
)
# What the new features do without any composition.
FEATURES_ALONE = System(
    "features of clauses alone",
    {**LOGISTIC, **CLAUSES, "model.kind": "surface", "model.features": True, "training.rate_features": 0.01},
)
BEST = STEPS[-1]
START = "the paper's model, settings as given"


def _shown(system: System) -> str:
    """Its name in the tables, where FULL is not to be taken for the tuned one of other tables."""
    return START if system is FULL else system.name


COMPARED = (
    *((_shown(later), _shown(earlier)) for earlier, later in pairwise(STEPS)),
    (BEST.name, START),
    (BEST.name, FEATURES_ALONE.name),
)
FOLDED = (FULL, FEATURES_ALONE, STEPS[-2], BEST)
FOLDS_COMPARED = COMPARED[-2:]
FOLD_SEEDS = 1  # an ensemble is several seeds already


def _as_given(bench: Bench) -> Bench:
    """Without tuned settings: a step from a tuned model to one that is not would measure the tuning too."""
    return replace(bench, tuned={})


def _plans(bench: Bench) -> list[RunPlan]:
    bench = _as_given(bench)
    usual = [plan for system in (*STEPS, FEATURES_ALONE) for plan in bench.plans(system)]
    folded = [
        plan
        for system in FOLDED
        for folds in fold_plans(bench, system, seeds=bench.seeds[:FOLD_SEEDS]).values()
        for plan in folds
    ]
    return usual + folded


def _findings(bench: Bench, results: Results) -> Findings:
    bench = _as_given(bench)
    runs = {
        _shown(system): [results(plan) for plan in bench.plans(system)] for system in (*STEPS, FEATURES_ALONE)
    }
    test = {name: [run.answers["test"] for run in some] for name, some in runs.items()}
    seeds = bench.seeds[:FOLD_SEEDS]
    folded = {
        _shown(system): over_folds(results, fold_plans(bench, system, seeds=seeds)) for system in FOLDED
    }
    return Findings(
        name="beyond",
        title="Beyond the paper",
        words=(
            "Not the paper's model: the steps from it to the best one we know, each with all that stands "
            "above it. They start from the settings as given, not from tuned ones, so that a step differs "
            f"from the one before in nothing else. {len(bench.seeds)} seeds; an ensemble's seeds share no "
            "member.",
        ),
        tables=(
            Table(
                name="beyond",
                title="Accuracy, step by step",
                columns=("model", "dev", "test", "test, shared entities", "seconds of training"),
                rows=tuple((name, *_row(some)) for name, some in runs.items()),
                notes=("Seconds are the mean over runs, for orientation: the machine may have been busy.",),
            ),
            comparison_table("beyond-tests", COMPARED, test),
            measures_table("beyond-folds", "Cross-validated accuracy, one seed", folded),
            comparison_table("beyond-folds-tests", FOLDS_COMPARED, folded),
        ),
    )


def _row(runs: list[RunResult]) -> list[Cell]:
    right = stacked(run.answers["test"] for run in runs)
    shared = runs[0].answers["test"].shared
    seconds = sum(run.notes["seconds"] for run in runs) / len(runs)
    dev = stacked(run.answers["dev"] for run in runs)
    return [measure(dev), measure(right), measure(right[:, shared]), f"{seconds:.1f}"]


BEYOND = Experiment("beyond", _plans, _findings)
