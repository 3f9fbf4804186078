"""The ladder's figures, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from disco2.experiments.multiclass import LADDER, RungResult, comparisons, summary


def test_mean_and_deviation_are_over_seeds_and_the_interval_over_relations() -> None:
    right = np.array([[True, True, False, False], [True, False, False, False]])
    found = summary(right)
    assert found["by_seed"] == [0.5, 0.25]
    assert found["mean"] == 0.375
    assert found["deviation"] == pytest.approx(0.25 / np.sqrt(2))
    low, high = found["interval"]
    assert 0 <= low < 0.375 < high <= 1
    assert summary(right[:, :0]) == {"mean": None, "deviation": None, "interval": None, "by_seed": [], "n": 0}


def test_rungs_are_compared_on_all_relations_and_on_those_that_share_entities() -> None:
    shared = np.arange(40) < 10
    everything, nothing = np.ones((2, 40), dtype=bool), np.zeros((2, 40), dtype=bool)
    results = [
        RungResult(rung.name, everything, everything if "entities" in rung.name else nothing, shared)
        for rung in LADDER
    ]
    found = {(row["first"], row["second"], row["relations"]): row for row in comparisons(results)}
    assert len(found) == 8
    assert found["upward + entities", "upward", "shared entities"]["difference"] == 1.0
    assert found["upward + entities", "upward", "all"]["p"] < 0.001
    assert found["upward + features", "upward", "all"]["difference"] == 0.0
    assert found["upward + features", "upward", "all"]["p"] == 1.0
