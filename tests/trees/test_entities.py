"""Mentions to nodes, and the aligned set A(m, n)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.records import Mention
from disco2.trees import MentionIndex, entity_links, mention_node
from tests.strategies import arguments, documents, mentions
from tests.trees.test_argument_tree import bob_and_tina, tree_of

FIRST, SECOND = tuple(range(6)), tuple(range(6, 10))


@pytest.mark.parametrize(
    ("mention", "tokens", "span"),
    [
        (Mention(2, 3, 2, "tina"), FIRST, (2, 3)),  # a word
        (Mention(3, 5, 4, "burger"), FIRST, (3, 5)),  # just a node
        (Mention(2, 5, 4, "x"), FIRST, (2, 5)),  # a node that only binarisation makes
        (Mention(1, 4, 1, "x"), FIRST, (1, 2)),  # no inner node over the head stays inside: the head
        (Mention(0, 5, 4, "x"), FIRST, (3, 5)),  # the smallest inner node over the head
        (Mention(2, 8, 4, "x"), FIRST[:5], (2, 5)),  # the part inside is a node, though not the smallest
        (Mention(3, 5, 4, "burger"), (0, 1, 2, 4), (3, 4)),  # only a part lies in the argument, with the head
    ],
)
def test_the_node_of_a_mention(mention: Mention, tokens: tuple[int, ...], span: tuple[int, int]) -> None:
    tree = tree_of(bob_and_tina(), tokens)
    node = mention_node(tree, mention)
    assert node is not None
    assert (tree.starts[node], tree.ends[node]) == span


def test_a_mention_whose_head_is_elsewhere_has_no_node() -> None:
    tree = tree_of(bob_and_tina(), (0, 1, 2, 3))
    assert mention_node(tree, Mention(3, 5, 4, "burger")) is None


def test_she_is_tina() -> None:
    document = replace(
        bob_and_tina(), mentions=(Mention(0, 1, 0, "bob"), Mention(2, 3, 2, "tina"), Mention(6, 7, 6, "tina"))
    )
    first, second = tree_of(document, FIRST), tree_of(document, SECOND)
    (link,) = entity_links(first, second, MentionIndex(document))
    assert (link.chain, link.first, link.second) == ("tina", (2,), (0,))


def test_all_pairs_of_a_chain_are_aligned_and_a_node_counts_once() -> None:
    found = (Mention(0, 1, 0, "a"), Mention(2, 3, 2, "a"), Mention(2, 3, 2, "a"), Mention(6, 7, 6, "a"))
    document = replace(bob_and_tina(), mentions=found)
    (link,) = entity_links(tree_of(document, FIRST), tree_of(document, SECOND), MentionIndex(document))
    assert (link.first, link.second, link.pairs) == ((0, 2), (0,), 2)


def test_no_shared_chain_no_link() -> None:
    document = replace(bob_and_tina(), mentions=(Mention(0, 1, 0, "a"), Mention(6, 7, 6, "b")))
    assert entity_links(tree_of(document, FIRST), tree_of(document, SECOND), MentionIndex(document)) == []
    document = replace(document, mentions=None)
    assert entity_links(tree_of(document, FIRST), tree_of(document, SECOND), MentionIndex(document)) == []


@given(st.data())
def test_a_mention_node_covers_the_head_and_stays_inside(data: st.DataObject) -> None:
    document = data.draw(documents())
    tree = tree_of(document, data.draw(arguments(document)))
    mention = data.draw(mentions(document))
    node = mention_node(tree, mention)
    if mention.head not in tree.tokens:
        assert node is None
        return
    assert node is not None
    covered = tree.tokens[tree.starts[node] : tree.ends[node]]
    inside = tuple(token for token in tree.tokens if mention.start <= token < mention.end)
    assert mention.head in covered
    assert set(covered) <= set(inside)
    spans = {tree.tokens[start:end] for start, end in zip(tree.starts, tree.ends, strict=True)}
    if inside in spans:
        assert covered == inside
