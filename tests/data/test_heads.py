"""Heads of spans, depths below the root, and one root for dependencies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.treebanks import parse_brackets
from disco2.data import Constituents, Dependencies
from disco2.data.records import depths_below_root, head_by_constituents, head_by_dependencies, head_of_span
from tests.documents import document_from_words
from tests.growth import LINEAR, growth
from tests.strategies import constituents


def head_in(brackets: str, start: int = 0, end: int | None = None) -> str:
    (sentence,) = parse_brackets(brackets, where="made-up")
    return sentence.words[head_by_constituents(sentence.constituents, start, end or len(sentence.words))]


# The old goat 's big brother from Rome said that it rains .
TREE = (
    "(S (NP (NP (NP (DT The) (JJ old) (NN goat) (POS 's)) (JJ big) (NN brother))"
    " (PP (IN from) (NP (NNP Rome))))"
    " (VP (VBD said) (SBAR (IN that) (S (NP (PRP it)) (VP (VBZ rains))))) (. .))"
)


@pytest.mark.parametrize(
    ("start", "end", "head"),
    [
        (0, 8, "brother"),
        (0, 6, "brother"),
        (0, 4, "goat"),
        (0, 2, "old"),
        (6, 8, "from"),
        (0, 13, "said"),
        (9, 12, "rains"),
        (10, 11, "it"),
        (5, 8, "brother"),
        (8, 9, "said"),
    ],
)
def test_heads_from_phrases(start: int, end: int, head: str) -> None:
    assert head_in(TREE, start, end) == head


@pytest.mark.parametrize(
    ("brackets", "head"),
    [
        ("(NP (NP (NN tea)) (CC and) (NP (NN milk)))", "tea"),
        ("(NP (CD three))", "three"),
        ("(NP (DT the) (JJ poor))", "poor"),
        ("(QP ($ $) (CD 5) (CD million))", "$"),
        ("(VP (MD will) (VP (VB go) (ADVP (RB home))))", "go"),
        ("(SBAR (WHNP (WP who)) (S (VP (VBD slept))))", "slept"),
        ("(ADVP (RB very) (RB soon))", "soon"),
        ("(NP (, ,) (. .))", "."),
        ("(FRAG (NP (NN tea)) (. .))", "tea"),
    ],
)
def test_heads_of_phrases(brackets: str, head: str) -> None:
    assert head_in(brackets) == head


def test_heads_from_dependencies() -> None:
    # the red hat , which fell  (hat is the object of a verb behind the span)
    dependencies = Dependencies(
        (2, 2, 6, 2, 5, 2, -1), ("det", "amod", "obj", "punct", "nsubj", "acl", "root")
    )
    assert head_by_dependencies(dependencies, 0, 6) == 2
    assert head_by_dependencies(dependencies, 0, 2) == 0
    assert head_by_dependencies(dependencies, 3, 6) == 5
    assert head_by_dependencies(dependencies, 0, 7) == 6


def test_of_several_tokens_with_heads_outside_the_one_nearest_the_root_wins() -> None:
    dependencies = Dependencies((1, 3, 3, -1), ("punct", "nsubj", "punct", "root"))
    assert head_by_dependencies(dependencies, 0, 2) == 1
    assert head_by_dependencies(dependencies, 1, 3) == 1
    chain = Dependencies((1, 2, 3, -1), ("a", "b", "c", "root"))
    assert head_by_dependencies(chain, 0, 3) == 2


def test_a_span_in_two_sentences_has_its_head_in_the_first() -> None:
    document = document_from_words("d", [["Rain", "falls"], ["Snow", "melts"]])
    assert head_of_span(document, 0, 4) == 1
    assert head_of_span(document, 3, 4) == 3


@given(constituents(), st.data())
def test_the_head_lies_in_the_span(tree: Constituents, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(tree.tags) - 1))
    end = data.draw(st.integers(start + 1, len(tree.tags)))
    assert start <= head_by_constituents(tree, start, end) < end


@given(st.lists(st.integers(-1, 8), min_size=1, max_size=9), st.data())
def test_the_head_lies_in_the_span_whatever_the_heads(heads: list[int], data: st.DataObject) -> None:
    heads = [min(head, len(heads) - 1) for head in heads]
    start = data.draw(st.integers(0, len(heads) - 1))
    end = data.draw(st.integers(start + 1, len(heads)))
    assert start <= head_by_dependencies(Dependencies(tuple(heads), ("x",) * len(heads)), start, end) < end


@pytest.mark.parametrize("shape", ["unary", "left", "right"])
def test_deep_trees_take_linear_time(shape: str) -> None:
    def head(depth: int) -> int:
        if shape == "unary":
            tree = Constituents(
                ("X",) * depth, (0,) * depth, (2,) * depth, tuple(range(-1, depth - 1)), ("A", "B")
            )
            return head_by_constituents(tree, 0, 2)
        starts = range(depth) if shape == "right" else [0] * depth
        ends = [depth + 1] * depth if shape == "right" else range(depth + 1, 1, -1)
        tags = ("A",) * (depth + 1)
        tree = Constituents(("X",) * depth, tuple(starts), tuple(ends), tuple(range(-1, depth - 1)), tags)
        return head_by_constituents(tree, 0, depth + 1)

    assert growth(head, 2_000) < LINEAR


def test_many_tokens_far_from_the_root_take_linear_time() -> None:
    def head(half: int) -> int:
        heads = (*range(-1, half - 1), *range(half))  # each of the second half hangs on one of the first
        return head_by_dependencies(Dependencies(heads, ("dep",) * (2 * half)), half, 2 * half)

    assert head(50) == 50
    assert growth(head, 1_000) < LINEAR


@given(st.integers(1, 9).flatmap(lambda n: st.lists(st.integers(-1, n - 1), min_size=n, max_size=n)))
def test_each_is_what_walking_up_finds(heads: list[int]) -> None:
    def walked(word: int) -> int:
        steps = 0
        while heads[word] >= 0 and steps < len(heads):
            word = heads[word]
            steps += 1
        return steps

    assert depths_below_root(tuple(heads)) == tuple(map(walked, range(len(heads))))
