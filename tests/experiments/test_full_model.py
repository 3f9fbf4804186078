"""One class against all others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disco2.experiments.bench import Bench
from disco2.experiments.configuration import Configuration
from disco2.experiments.evaluating import Answers
from disco2.experiments.full_model import BINARY_EXPERIMENT, is_commoner
from disco2.experiments.runs import RunPlan, RunResult
from disco2.reporting.findings import Measure
from tests.corpora.made_up import corpus, relation


def bench() -> Bench:
    """Contingency is common in training, and Expansion in the test part."""
    senses = ["Contingency.Cause"] * 3 + ["Expansion.List"] * 2
    tested = ["Expansion.List"] * 3 + ["Contingency.Cause"]
    relations = [relation("d1", number, [sense]) for number, sense in enumerate(senses)]
    relations += [relation("d2", number, [sense]) for number, sense in enumerate(tested)]
    made = replace(corpus(relations, parts={"d1": "train", "d2": "test"}), name="gum", inventory="gdtb")
    return Bench({"own": made}, Configuration(), seeds=(1,))


def answers(name: str, gold: list[bool]) -> Answers:
    names = tuple(map(str, range(len(gold))))
    labels = tuple((name if one else "Other",) for one in gold)
    scores = np.ones((len(gold), 2), dtype=np.float32)
    return Answers(names, names, labels, np.ones(len(gold), dtype=bool), (name, "Other"), scores)


def test_the_commoner_answer_is_that_of_the_training_part() -> None:
    assert is_commoner(bench(), "Contingency")
    assert not is_commoner(bench(), "Expansion")

    def result(plan: RunPlan) -> RunResult:
        name = plan.configuration.task.versus
        gold = {"Contingency": [False] * 3 + [True], "Expansion": [True] * 3 + [False]}
        return RunResult((), {"test": answers(name, gold.get(name, [False] * 4))})

    table = BINARY_EXPERIMENT.findings(bench(), result).tables[0]
    constant = dict(zip(table.columns, table.rows[0], strict=True))
    assert constant["system"] == "always the commoner answer"
    assert constant["Contingency F1"] == Measure(0.4, n=4)
    assert constant["Contingency accuracy"] == Measure(0.25, n=4)
    assert constant["Expansion F1"] == Measure(0.0, n=4)
    assert constant["Expansion accuracy"] == Measure(0.25, n=4)
    assert constant["Temporal accuracy"] == Measure(1.0, n=4)
