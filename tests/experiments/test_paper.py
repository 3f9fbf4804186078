"""The ladder of models, cross-validation, one class against all others, and steps beyond the paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disco2.corpora.catalogue import documents_with_coreference
from disco2.data import Corpus
from disco2.experiments.bench import Bench, is_papers_corpus
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.division import divide
from disco2.experiments.evaluating import Answers
from disco2.experiments.paper import (
    BEST,
    BEYOND,
    BINARY_EXPERIMENT,
    COMPARED,
    FEATURES_ALONE,
    FULL,
    LADDER,
    MULTICLASS_EXPERIMENT,
    PROTOCOLS,
    STEPS,
    comparison_table,
    fold_groups,
    fold_labels,
    is_commoner,
)
from disco2.experiments.runs import RunPlan, RunResult
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


RARE = "Expansion.Disjunction"  # kept on GUM although it is rare


def gum() -> Corpus:
    """Forty documents in two classes, and one with the rare label, which some fold can't learn."""
    names = [f"d{number:02}" for number in range(41)]
    senses = [("Contingency.Cause", "Expansion.Conjunction")[number % 2] for number in range(40)] + [RARE]
    made = [relation(name, 1, [sense]) for name, sense in zip(names, senses, strict=True)]
    return replace(corpus(made), name="gum", inventory="gdtb", parts=dict.fromkeys(names, "train"))


def test_a_label_that_some_fold_lacks_is_in_no_fold() -> None:
    made, settings = gum(), Configuration().changed({"task.minimum": 5})
    assert RARE in divide(made, settings).labels
    labels = fold_labels(made, settings)
    assert RARE not in labels
    for keep in ((), (RARE,)):
        bench = Bench({"own": made}, settings.changed({"task.keep": keep}), seeds=(1,))
        plans = fold_groups(bench, [FULL])[FULL.name, 1]
        assert len(plans) == len(PROTOCOLS)
        assert {divide(made, plan.configuration).labels for plan in plans} == {labels}


EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def test_the_examples_have_the_settings_of_the_best_model_and_of_the_paper() -> None:
    assert read_configuration(EXAMPLES / "best.toml") == Configuration().changed(BEST.changes)
    papers = read_configuration(EXAMPLES / "paper.toml")
    assert (papers.vectors.source, papers.model.K, papers.model.pairs) == ("word2vec", 50, "sum")


def test_steps_differ_in_their_changes_alone_even_where_the_papers_model_was_tuned() -> None:
    given = Configuration().changed({"model.K": 20})
    relations = [relation(f"wsj_020{number}", number, ["Contingency.Cause"]) for number in range(6)]
    made_up = corpus(relations, parts={})
    untuned = Bench({"own": made_up}, given, seeds=(1,))
    tuned = {FULL.name: given.changed({"model.K": 60, "training.rate_upward": 0.3})}
    plans = BEYOND.plans(replace(untuned, tuned=tuned))
    assert plans == BEYOND.plans(untuned)
    for system, plan in zip((*STEPS, FEATURES_ALONE), plans, strict=False):
        assert plan.configuration == given.changed({**system.changes, "training.seed": 1})


def binary_bench() -> Bench:
    """Contingency is common in training, and Expansion in the test part."""
    senses = ["Contingency.Cause"] * 3 + ["Expansion.List"] * 2
    tested = ["Expansion.List"] * 3 + ["Contingency.Cause"]
    relations = [relation("d1", number, [sense]) for number, sense in enumerate(senses)]
    relations += [relation("d2", number, [sense]) for number, sense in enumerate(tested)]
    made = replace(corpus(relations, parts={"d1": "train", "d2": "test"}), name="gum", inventory="gdtb")
    return Bench({"own": made}, Configuration(), seeds=(1,))


def binary_answers(name: str, gold: list[bool]) -> Answers:
    names = tuple(map(str, range(len(gold))))
    labels = tuple((name if one else "Other",) for one in gold)
    scores = np.ones((len(gold), 2), dtype=np.float32)
    return Answers(names, names, labels, np.ones(len(gold), dtype=bool), (name, "Other"), scores)


def test_the_commoner_answer_is_that_of_the_training_part() -> None:
    assert is_commoner(binary_bench(), "Contingency")
    assert not is_commoner(binary_bench(), "Expansion")

    def result(plan: RunPlan) -> RunResult:
        name = plan.configuration.task.versus
        gold = {"Contingency": [False] * 3 + [True], "Expansion": [True] * 3 + [False]}
        return RunResult((), {"test": binary_answers(name, gold.get(name, [False] * 4))})

    table = BINARY_EXPERIMENT.findings(binary_bench(), result).tables[0]
    constant = dict(zip(table.columns, table.rows[0], strict=True))
    assert constant["system"] == "always the commoner answer"
    assert constant["Contingency F1"] == Measure(0.4, n=4)
    assert constant["Contingency accuracy"] == Measure(0.25, n=4)
    assert constant["Expansion F1"] == Measure(0.0, n=4)
    assert constant["Expansion accuracy"] == Measure(0.25, n=4)
    assert constant["Temporal accuracy"] == Measure(1.0, n=4)


def pdtb2(*, without: str = "") -> Corpus:
    """Two documents; one may be without coreference."""
    made = corpus([relation(name, 1, ["Contingency.Cause"]) for name in ("wsj_0201", "wsj_2301")])
    documents = {
        name: replace(one, mentions=None if name == without else ()) for name, one in made.documents.items()
    }
    return replace(made, name="pdtb2", inventory="pdtb2", documents=documents)


@pytest.mark.parametrize(
    ("changes", "beside"),
    [
        ({}, True),
        ({"level": 2}, True),
        ({"protocol": "ji"}, False),
        ({"level": 1}, False),
        ({"minimum": 5}, False),
        ({"labels": ("Contingency.Cause", "Expansion.List")}, False),
        ({"outcomes": "running-text"}, False),
        ({"versus": "Expansion"}, False),
    ],
)
def test_published_figures_belong_to_the_papers_task(changes: dict[str, Any], beside: bool) -> None:
    configuration = Configuration().changed({f"task.{name}": value for name, value in changes.items()})
    assert is_papers_corpus(Bench({"own": pdtb2()}, configuration, seeds=(1,)), "lin") is beside


def test_published_figures_belong_to_the_papers_corpus_as_a_whole() -> None:
    def papers(made: Corpus) -> bool:
        return is_papers_corpus(Bench({"own": made}, Configuration(), seeds=(1,)), "lin")

    assert papers(documents_with_coreference(pdtb2())), "nothing was left out"
    assert not papers(documents_with_coreference(pdtb2(without="wsj_0201")))
    assert not papers(replace(pdtb2(), name="pdtb3"))
