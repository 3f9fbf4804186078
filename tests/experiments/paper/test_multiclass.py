"""The ladder's tables: the paper's rows, and its figures beside ours on its own corpus alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from disco2.experiments.bench import Bench
from disco2.experiments.configuration import Configuration
from disco2.experiments.multiclass import COMPARED, LADDER, MULTICLASS_EXPERIMENT, comparison_table
from disco2.experiments.runs import Answers, RunPlan, RunResult
from disco2.reporting.findings import Difference, Measure, PValue
from tests.corpora.made_up import corpus, relation

N = 40


def answers(right: bool) -> Answers:
    scores = np.tile(np.array([1.0, 0.0] if right else [0.0, 1.0], dtype=np.float32), (N, 1))
    names = tuple(map(str, range(N)))
    return Answers(names, names, (("a",),) * N, np.arange(N) < 10, ("a", "b"), scores)


def result(plan: RunPlan) -> RunResult:
    """Models with entities are always right, the others never."""
    found = answers(right="entities" in plan.model)
    return RunResult(("a", "b"), {"dev": found, "test": found})


def bench(name: str, **changes: Any) -> Bench:
    made_up = replace(corpus([relation("wsj_0201", 0, ["Contingency.Cause"])], parts={}), name=name)
    return Bench({"own": made_up}, Configuration().changed(changes), seeds=(1, 2))


def test_every_model_has_a_run_for_every_seed_but_the_constant_one() -> None:
    plans = MULTICLASS_EXPERIMENT.plans(bench("gum"))
    assert len(plans) == 2 * len(LADDER) - 1
    assert len({plan.directory("x") for plan in plans}) == len(plans)


def test_settings_that_were_tuned_for_a_system_are_its_own() -> None:
    tuned = Configuration().changed({"model.K": 30})
    plans = MULTICLASS_EXPERIMENT.plans(replace(bench("gum"), tuned={"upward": tuned}))
    dimensions = {plan.model: plan.configuration.model.K for plan in plans}
    assert dimensions["upward"] == 30
    assert dimensions["upward + entities"] == Configuration().model.K
    assert all(plan.configuration.model.kind == "upward" for plan in plans if plan.model == "upward")


def test_the_table_has_the_papers_eight_rows_and_its_figures_only_on_its_corpus() -> None:
    table = MULTICLASS_EXPERIMENT.findings(bench("gum"), result).tables[0]
    assert len(table.rows) == 8
    assert [row[0] for row in table.rows][2] == "Lin et al. (2009)"
    assert not any(isinstance(cell, Measure) and cell.published for row in table.rows for cell in row)

    theirs = MULTICLASS_EXPERIMENT.findings(bench("pdtb2"), result).tables[0]
    assert theirs.columns[-1] == "published"
    assert [row[-1].mean for row in theirs.rows if isinstance(row[-1], Measure)][-1] == 0.4356
    assert all(isinstance(row[-1], Measure) and row[-1].published for row in theirs.rows)
    ours = theirs.rows[-1][theirs.columns.index("test")]
    assert ours == Measure(1.0, 0.0, (1.0, 1.0), N)

    assert table.title == "Accuracy, 2 labels"
    assert any(
        "GloVe in 100 dimensions" in said
        for said in MULTICLASS_EXPERIMENT.findings(bench("gum"), result).words
    )

    other_split = bench("pdtb2", **{"task.protocol": "ji"})
    assert "published" not in MULTICLASS_EXPERIMENT.findings(other_split, result).tables[0].columns


def test_systems_are_compared_on_all_relations_and_on_those_that_share_entities() -> None:
    by_system = {
        system.name: [result(RunPlan(system.name, Configuration())).answers["test"]] for system in LADDER
    }
    table = comparison_table("tests", COMPARED, by_system)
    rows = {(row[0], row[1]): row[2:] for row in table.rows}
    assert len(rows) == 8
    n, difference, p, *_ = rows["upward + entities − upward", "shared entities"]  # noqa: RUF001
    assert (n, difference) == (10, Difference(1.0, (1.0, 1.0)))
    assert isinstance(p, PValue)
    assert p.value < 0.001
    assert rows["upward + features − upward", "all"][1] == Difference(0.0, (0.0, 0.0))  # noqa: RUF001
