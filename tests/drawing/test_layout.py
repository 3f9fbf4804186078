"""Words and nodes have room of their own."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.drawing.layout import (
    BADGE,
    HALF_NODE,
    SHORTEST_STEP,
    TreeLayout,
    place_marks,
)
from disco2.inference.prediction import Span
from disco2.inference.view import ViewedArgument


@st.composite
def viewed_arguments(draw: st.DrawFn) -> ViewedArgument:
    """A binary tree of any shape over words of any letters."""
    words = draw(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=25))
    roots = list(range(len(words)))
    left, right = [], []
    while len(roots) > 1:
        place = draw(st.integers(0, len(roots) - 2))
        left.append(roots[place])
        right.append(roots[place + 1])
        roots[place : place + 2] = [len(words) + len(left) - 1]
    labels = ("NN",) * len(words) + ("NP",) * len(left)
    return ViewedArgument(Span("", 0, 0), tuple(words), tuple(left), tuple(right), labels, ())


def check_room(layout: TreeLayout) -> None:
    leaves = layout.leaves
    for before, after in pairwise(range(leaves)):
        words = (layout.word_widths[before] + layout.word_widths[after]) / 2
        assert layout.x[after] - layout.x[before] >= words + 10
    by_level: dict[int, list[float]] = {}
    for node in range(leaves, 2 * leaves - 1):
        by_level.setdefault(layout.heights[node], []).append(layout.x[node])
    for places in by_level.values():
        for before, after in pairwise(sorted(places)):
            assert after - before >= 2 * HALF_NODE
    for node, parent in enumerate(layout.parents[:-1]):
        assert layout.y[parent] <= layout.y[node] - SHORTEST_STEP
        assert layout.top(node) > layout.y[parent] + 5


@given(viewed_arguments())
def test_no_two_words_or_nodes_overlap(argument: ViewedArgument) -> None:
    layout = TreeLayout(argument)
    check_room(layout)
    for node, (left, right) in enumerate(
        zip(argument.left, argument.right, strict=True), start=layout.leaves
    ):
        assert layout.x[node] == pytest.approx((layout.x[left] + layout.x[right]) / 2)
    assert set(layout.y[: layout.leaves]) == {0}  # one baseline
    for x in layout.x[layout.leaves :]:
        assert HALF_NODE <= x <= layout.width - HALF_NODE


@given(viewed_arguments(), st.data())
def test_no_two_lines_of_mentions_touch(argument: ViewedArgument, data: st.DataObject) -> None:
    layout = TreeLayout(argument)
    chains = st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True)
    mentions = data.draw(st.dictionaries(st.integers(0, layout.root), chains))
    layout.mentions = mentions
    marks = place_marks(layout)
    assert set(marks) == {(chain, node) for node, some in mentions.items() for chain in some}
    placed = list(marks.values())
    for number, mark in enumerate(placed):
        assert mark.right - mark.left >= 2 * BADGE - 1e-9
        for other in placed[:number]:
            apart = mark.right < other.left or other.right < mark.left
            assert apart or abs(mark.y - other.y) > 2 * BADGE
