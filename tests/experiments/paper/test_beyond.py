"""What goes beyond the paper is the same in the table and in the example that users take."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.paper.beyond import BEST, STEPS

EXAMPLES = Path(__file__).parent.parent.parent.parent / "examples"


def test_the_example_is_the_best_model_of_the_table() -> None:
    assert read_configuration(EXAMPLES / "best.toml") == Configuration().changed(BEST.changes)


def test_every_step_adds_to_the_one_before() -> None:
    for earlier, later in pairwise(STEPS):
        assert earlier.changes.items() < later.changes.items()
