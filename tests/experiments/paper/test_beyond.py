"""What goes beyond the paper is the same in the table and in the example that users take."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from disco2.experiments.bench import Bench
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.multiclass import BEST, BEYOND, FEATURES_ALONE, FULL, START, STEPS, STEPS_COMPARED
from tests.corpora.made_up import corpus, relation

EXAMPLES = Path(__file__).parent.parent.parent.parent / "examples"


def test_the_example_is_the_best_model_of_the_table() -> None:
    assert read_configuration(EXAMPLES / "best.toml") == Configuration().changed(BEST.changes)


def test_every_step_adds_to_the_one_before() -> None:
    for earlier, later in pairwise(STEPS):
        assert earlier.changes.items() < later.changes.items()


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


def test_the_start_is_not_taken_for_the_tuned_model_of_other_tables() -> None:
    assert STEPS_COMPARED[0] == (STEPS[1].name, START)
    assert FULL.name not in {name for pair in STEPS_COMPARED for name in pair}
