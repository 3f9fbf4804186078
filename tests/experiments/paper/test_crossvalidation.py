"""All folds are one task, and the words say on what settings were chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.data import Corpus
from disco2.errors import InputError
from disco2.experiments.bench import Bench
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.multiclass import (
    CROSSVALIDATION,
    FULL,
    PROTOCOLS,
    fold_labels,
    fold_plans,
    joined,
)
from disco2.experiments.runs import Answers, RunPlan, RunResult
from tests.corpora.made_up import corpus, relation

RARE = "Expansion.Disjunction"  # kept on GUM although it is rare


def gum() -> Corpus:
    """Forty documents in two classes, and one with the rare label, which some fold can't learn."""
    names = [f"d{number:02}" for number in range(41)]
    senses = [("Contingency.Cause", "Expansion.Conjunction")[number % 2] for number in range(40)] + [RARE]
    made = [relation(name, 1, [sense]) for name, sense in zip(names, senses, strict=True)]
    return replace(corpus(made), name="gum", inventory="gdtb", parts=dict.fromkeys(names, "train"))


def answers(labels: str) -> Answers:
    scores = np.ones((1, len(labels)), dtype=np.float32)
    return Answers(("1",), ("d",), (("a",),), np.array([True]), tuple(labels), scores)


def test_a_label_that_some_fold_lacks_is_in_no_fold() -> None:
    made, settings = gum(), Configuration().changed({"task.minimum": 5})
    assert RARE in divide(made, settings).labels
    labels = fold_labels(made, settings)
    assert RARE not in labels
    for keep in ((), (RARE,)):
        bench = Bench({"own": made}, settings.changed({"task.keep": keep}), seeds=(1,))
        plans = fold_plans(bench, FULL)[1]
        assert len(plans) == len(PROTOCOLS)
        assert {divide(made, plan.configuration).labels for plan in plans} == {labels}


def test_folds_with_different_labels_are_not_mixed() -> None:
    assert joined([answers("ab"), answers("ab")]).scores.shape == (2, 2)
    for other in ("ac", "ba", "abc"):
        with pytest.raises(InputError, match="different labels"):
            joined([answers("ab"), answers(other)])


def test_settings_were_chosen_on_relations_that_are_tested() -> None:
    def result(plan: RunPlan) -> RunResult:
        return RunResult(("a",), {"test": answers("a")})

    own = Bench({"own": gum()}, Configuration().changed({"task.minimum": 5}), seeds=(1,))
    said = CROSSVALIDATION.findings(own, result).words[1]
    assert "They were chosen on development relations of gum; these are test relations of some fold" in said
    other = replace(own, corpora={"own": replace(gum(), name="pairs")})
    assert "If they were chosen" in CROSSVALIDATION.findings(other, result).words[1]
    tuned = replace(other, tuned={FULL.name: other.configuration})
    assert "They were chosen" in CROSSVALIDATION.findings(tuned, result).words[1]
