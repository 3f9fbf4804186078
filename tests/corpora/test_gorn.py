"""Gorn addresses in treebank trees."""

from __future__ import annotations

import pytest

from disco2.corpora.pdtb2 import GornTrees
from disco2.corpora.pdtb2_files import parse_gorn_list
from disco2.errors import LayerError
from tests.fuzzing.target import limits

TREES = """
( (S (NP-SBJ-1 (PRP She)) (VP (VBD was) (VP (VBN told) (NP (-NONE- *-1)) (NP (DT the) (NN way)))) (. .)) )
( (FRAG (-NONE- *)) )
( (S (NP (NNS Bakers)) (VP (VBP rise)) (. .)) )
"""


@pytest.fixture(scope="module")
def trees() -> GornTrees:
    return GornTrees(TREES, where="made-up.mrg")


def test_a_list_is_split_and_empty_pieces_are_left_out() -> None:
    assert parse_gorn_list("0,1;2") == ((0, 1), (2,))
    assert parse_gorn_list("0,1;;2;") == ((0, 1), (2,))
    assert parse_gorn_list("") == ()
    assert parse_gorn_list("0,x;3") == ((3,),)


@pytest.mark.parametrize(
    ("address", "tokens"),
    [
        ((0,), range(0, 6)),
        ((0, 0), range(0, 1)),
        ((0, 1, 1), range(2, 5)),
        ((0, 1, 1, 1), range(3, 3)),  # the trace
        ((0, 1, 1, 2), range(3, 5)),  # the trace before it counts
        ((0, 1, 1, 2, 1), range(4, 5)),
        ((0, 1, 1, 2, 1, 0), range(4, 5)),  # the word under its tag
        ((1,), range(6, 6)),  # a tree of nothing but a trace has a number too
        ((2, 1), range(7, 8)),
    ],
)
def test_addresses_lead_to_tokens(trees: GornTrees, address: tuple[int, ...], tokens: range) -> None:
    assert trees.tokens_under(address) == tokens


@pytest.mark.parametrize("address", [(3,), (0, 9), (0, 1, 1, 2, 1, 1), (0, 0, 0, 0, 1)])
def test_addresses_of_no_node_lead_nowhere(trees: GornTrees, address: tuple[int, ...]) -> None:
    assert trees.tokens_under(address) is None
    assert trees.runs_under_all([(0,), address]) == []


def test_several_addresses_give_each_token_once_in_order(trees: GornTrees) -> None:
    assert trees.runs_under_all([(2,), (0, 1, 1, 2), (0, 1, 1)]) == [(2, 5), (6, 9)]


def test_an_address_said_a_hundred_thousand_times_is_one_node() -> None:
    trees = GornTrees("( (S " + "(NN mill) " * 20_000 + ") )", where="long.mrg")
    with limits(0):
        assert trees.runs_under_all([(0,)] * 100_000) == [(0, 20_000)]


def test_deep_trees_need_no_recursion() -> None:
    depth = 50_000
    trees = GornTrees("( " + "(X " * depth + "(NN mill)" + ")" * depth + " )", where="deep.mrg")
    assert trees.tokens_under((0, *([0] * depth))) == range(0, 1)


@pytest.mark.parametrize("broken", ["( (S (NN mill))", "(S (NN mill)))", "mill"])
def test_broken_brackets_name_the_file(broken: str) -> None:
    with pytest.raises(LayerError) as caught:
        GornTrees(broken, where="broken.mrg")
    assert caught.value.where.startswith("broken.mrg")
