"""Layers carried over to other tokens."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.formats.ptb import parse_brackets
from disco2.annotation.layers import join_constituents, project_constituents, project_dependencies
from disco2.records import Constituents, Dependencies
from tests.strategies import constituents


def tree(brackets: str) -> Constituents:
    return parse_brackets(brackets, where="made-up")[0].constituents


def test_a_word_cut_in_pieces_lengthens_its_phrases() -> None:
    projected = project_constituents(
        tree("(S (NP (JJ well-known) (NNS goats)) (VP (VBP sing)))"), [0, 0, 0, 1, 2]
    )
    assert projected == Constituents(
        ("S", "NP", "VP"), (0, 0, 4), (5, 4, 5), (-1, 0, 0), ("JJ", "JJ", "JJ", "NNS", "VBP")
    )


def test_a_phrase_that_keeps_no_token_is_gone_with_those_below_it() -> None:
    projected = project_constituents(tree("(S (NP (NN a)) (VP (VP (VB b)) (NP (NN c))))"), [0, 2])
    assert projected == Constituents(
        ("S", "NP", "VP", "NP"), (0, 0, 1, 1), (2, 1, 2, 2), (-1, 0, 0, 2), ("NN", "NN")
    )


def test_joined_trees_hang_under_a_root() -> None:
    joined = join_constituents([tree("(S (NP (NN a)) (VB b))"), tree("(NP (NN c))")])
    assert joined.labels == ("ROOT", "S", "NP", "NP")
    assert joined.starts == (0, 0, 0, 2)
    assert joined.ends == (3, 2, 1, 3)
    assert joined.parents == (-1, 0, 1, 0)


@given(st.lists(constituents(), min_size=1, max_size=3), st.data())
def test_projected_phrases_stay_nested(trees: list[Constituents], data: st.DataObject) -> None:
    joined = join_constituents(trees)
    words = len(joined.tags)
    owners = sorted(data.draw(st.lists(st.integers(0, words - 1), min_size=1, max_size=2 * words)))
    projected = project_constituents(joined, owners)
    assert (projected.starts[0], projected.ends[0], projected.parents[0]) == (0, len(owners), -1)
    assert len(projected.tags) == len(owners)
    for node in range(1, len(projected.labels)):
        parent = projected.parents[node]
        assert 0 <= parent < node
        assert (
            projected.starts[parent]
            <= projected.starts[node]
            < projected.ends[node]
            <= projected.ends[parent]
        )
    for first, second in pairwise(range(1, len(projected.labels))):
        if projected.parents[first] == projected.parents[second]:
            assert projected.ends[first] <= projected.starts[second]


def test_the_same_tokens_keep_their_heads() -> None:
    parse = Dependencies((1, -1, 1), ("nsubj", "root", "punct"))
    assert project_dependencies([parse], [(0, 1), (1, 2), (2, 3)]) == parse


def test_pieces_of_a_word_hang_on_the_last_of_them() -> None:
    parse = Dependencies((1, 2, -1), ("amod", "nsubj", "root"))
    assert project_dependencies([parse], [(0, 1), (0, 1), (0, 1), (1, 2), (2, 3)]) == Dependencies(
        (2, 2, 3, 4, -1), ("flat", "flat", "amod", "nsubj", "root")
    )


def test_words_that_make_one_token_give_it_the_head_of_the_highest() -> None:
    parse = Dependencies((2, 0, 3, -1), ("advmod", "punct", "nsubj", "root"))
    assert project_dependencies([parse], [(0, 3), (3, 4)]) == Dependencies((1, -1), ("nsubj", "root"))


def test_a_later_root_hangs_on_the_first_and_punctuation_on_its_word() -> None:
    parses = [Dependencies((-1,), ("root",)), Dependencies((1, -1), ("nsubj", "root"))]
    assert project_dependencies(parses, [(0, 1), (0, 0), (1, 2), (2, 3)]) == Dependencies(
        (-1, 0, 3, 0), ("root", "punct", "nsubj", "parataxis")
    )


def test_a_head_that_no_token_has_is_passed_over() -> None:
    parse = Dependencies((1, 2, -1), ("a", "b", "root"))
    assert project_dependencies([parse], [(0, 1), (2, 3)]) == Dependencies((1, -1), ("a", "root"))


@st.composite
def dependency_trees(draw: st.DrawFn) -> Dependencies:
    """One root; every other word hangs on a word that was attached before it, in any order of the words."""
    order = draw(st.permutations(range(draw(st.integers(1, 8)))))
    heads = [-1] * len(order)
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    return Dependencies(tuple(heads), tuple("root" if head < 0 else "dep" for head in heads))


@given(dependency_trees(), st.data())
def test_projected_dependencies_are_a_tree(parse: Dependencies, data: st.DataObject) -> None:
    """Words and tokens are cuts of one line of characters, three for each word."""
    length = 3 * len(parse.heads)
    cuts = [0, *sorted(data.draw(st.sets(st.integers(1, length - 1)))), length]
    ranges = [(start // 3, (end - 1) // 3 + 1) for start, end in pairwise(cuts)]
    projected = project_dependencies([parse], ranges)
    assert len(projected.heads) == len(projected.labels) == len(ranges)
    assert projected.heads.count(-1) == 1
    for token in range(len(ranges)):
        steps = 0
        while token >= 0:
            token, steps = projected.heads[token], steps + 1
            assert steps <= len(ranges)
