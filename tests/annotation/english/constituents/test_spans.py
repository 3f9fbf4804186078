"""Trees and their labelled spans."""

from __future__ import annotations

from hypothesis import given

from disco2.annotation.english.constituents.chart import spans_to_tree, tree_to_spans
from disco2.records import Constituents
from tests.strategies import constituents

CHAINED = Constituents(
    labels=("S", "NP", "VP", "S", "VP"),
    starts=(0, 0, 1, 2, 2),
    ends=(4, 1, 4, 4, 4),
    parents=(-1, 0, 0, 2, 3),
    tags=("PRP", "VBD", "TO", "VB"),
)


def test_a_unary_chain_is_one_span() -> None:
    assert tree_to_spans(CHAINED) == [(0, 4, "S"), (0, 1, "NP"), (1, 4, "VP"), (2, 4, "S+VP")]


def test_spans_in_any_order_make_the_tree() -> None:
    spans = [(2, 4, "S+VP"), (1, 4, "VP"), (0, 1, "NP"), (0, 4, "S")]
    assert spans_to_tree(spans, CHAINED.tags) == CHAINED


@given(constituents())
def test_a_tree_survives_the_round_trip(tree: Constituents) -> None:
    assert spans_to_tree(tree_to_spans(tree), tree.tags) == tree
