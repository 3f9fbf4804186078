"""Precision and recall of aligned pairs."""

from __future__ import annotations

import pytest

from disco2.evaluation.aligned_pairs import score_aligned_pairs


def test_counts_over_relations() -> None:
    found = score_aligned_pairs([({1, 2, 3}, {2, 3}), (set(), {4, 5}), ({6}, set()), (set(), set())])
    assert (found.gold, found.automatic, found.common) == (4, 4, 2)
    assert (found.precision, found.recall, found.f1) == (0.5, 0.5, 0.5)
    assert (found.gold_share, found.automatic_share) == (0.5, 0.5)
    assert found.common_relations == 1


def test_nothing_found_is_no_error() -> None:
    empty = score_aligned_pairs([])
    assert (empty.precision, empty.recall, empty.f1, empty.gold_share, empty.automatic_share) == (0,) * 5
    assert score_aligned_pairs([({1}, set())]).f1 == pytest.approx(0)
