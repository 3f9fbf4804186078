"""A guard against great losses of speed: ratios within one run, with wide margins; never seconds."""

from __future__ import annotations

import pytest

from benchmarks.speed.data import STANDARD_BATCH, Workload, generated_workload
from benchmarks.speed.floor import matrix_products, scoring_products, training_products
from benchmarks.speed.measure import in_turns
from benchmarks.speed.model import product_scores, product_steps, recursive_step

PAIRS = 4 * STANDARD_BATCH
REPEATS = 8

# Measured, from NumPy to compiled code: 0.29 to 0.85 of the floor in training, 0.29 to 0.74 in scoring, and
# 100 to 205 times the recursive one midway.
TRAINING_TO_FLOOR = 0.1
SCORING_TO_FLOOR = 0.12
TRAINING_TO_RECURSIVE = 20.0


@pytest.fixture(scope="module")
def workload() -> Workload:
    return generated_workload(PAIRS)


def test_a_training_step_is_not_far_above_its_matrix_products(workload: Workload) -> None:
    works = {
        "product": product_steps(workload, workload.batches(STANDARD_BATCH)),
        "floor": matrix_products(workload, STANDARD_BATCH, training_products),
    }
    seconds = in_turns(works, repeats=REPEATS)
    assert seconds["floor"] / seconds["product"] > TRAINING_TO_FLOOR


def test_scoring_is_not_far_above_its_matrix_products(workload: Workload) -> None:
    works = {
        "product": product_scores(workload, workload.batches(PAIRS)),
        "floor": matrix_products(workload, PAIRS, scoring_products),
    }
    seconds = in_turns(works, repeats=REPEATS)
    assert seconds["floor"] / seconds["product"] > SCORING_TO_FLOOR


def test_a_training_step_is_far_below_the_recursive_one(workload: Workload) -> None:
    works = {
        "product": product_steps(workload, workload.batches(STANDARD_BATCH)[:1]),
        "recursive": recursive_step(workload, workload.made[:STANDARD_BATCH], one_pass=False),
    }
    seconds = in_turns(works, repeats=3, warm=False)
    assert seconds["recursive"] / seconds["product"] > TRAINING_TO_RECURSIVE
