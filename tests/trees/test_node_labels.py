"""Nodes are called by the phrases whose words are just theirs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.records import Constituents, Document
from disco2.trees import ArgumentTree, argument_tree
from disco2.trees.node_labels import node_labels
from tests.strategies import arguments, documents, relation
from tests.trees.test_argument_tree import bob_and_tina, tree_of


def labelled(document: Document, tree: ArgumentTree) -> str:
    """The tree as nested brackets with labels."""
    labels = node_labels(document, tree)
    shown = [f"{label}:{word}" for label, word in zip(labels, document.words(tree.tokens), strict=False)]
    for node, (left, right) in enumerate(zip(tree.left, tree.right, strict=True), start=tree.leaves):
        shown.append(f"({labels[node]} {shown[left]} {shown[right]})")
    return shown[tree.root]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (tuple(range(6)), "(S NNP:Bob ( (VP VBD:gave ( NNP:Tina (NP DT:the NN:burger))) .:.))"),
        ((1, 2, 3, 4), "(VP VBD:gave ( NNP:Tina (NP DT:the NN:burger)))"),
        ((0, 3, 4), "( NNP:Bob (NP DT:the NN:burger))"),  # a gap: the whole is no phrase
        ((3, 4, 6, 7, 8), "( (NP DT:the NN:burger) ( PRP:She (VP VBD:was JJ:hungry)))"),  # two sentences
        ((1, 4), "( VBD:gave NN:burger)"),  # as long as a phrase, but not together
        ((8,), "JJ:hungry"),
    ],
)
def test_phrases_give_their_names(tokens: tuple[int, ...], expected: str) -> None:
    document = bob_and_tina()
    assert labelled(document, tree_of(document, tokens)) == expected


def test_the_topmost_of_several_phrases_over_the_same_words_gives_its_name() -> None:
    document = bob_and_tina()
    phrases = Constituents(("ROOT", "S", "VP", "NP"), (0, 0, 1, 2), (4, 4, 3, 3), (-1, 0, 1, 2), ("X",) * 4)
    document = replace(
        document, sentences=(document.sentences[0], replace(document.sentences[1], constituents=phrases))
    )
    assert labelled(document, tree_of(document, (6, 7, 8, 9))) == "(ROOT X:She ( (VP X:was X:hungry) X:.))"


def test_a_tag_of_the_token_goes_before_that_of_the_tree() -> None:
    document = bob_and_tina()
    tokens = (replace(document.tokens[0], tag="NN"), *document.tokens[1:])
    assert node_labels(replace(document, tokens=tokens), tree_of(document, (0,))) == ["NN"]


@given(st.data())
def test_a_name_is_that_of_a_phrase_with_just_these_words(data: st.DataObject) -> None:
    document = data.draw(documents())
    tokens = data.draw(arguments(document))
    tree = argument_tree(document, tokens, relation=relation(tokens, tokens))
    labels = node_labels(document, tree)
    assert len(labels) == 2 * len(tokens) - 1
    for node in range(tree.leaves, 2 * tree.leaves - 1):
        below = tokens[tree.starts[node] : tree.ends[node]]
        expected = next(
            (
                phrases.labels[phrase]
                for sentence in document.sentences
                if (phrases := sentence.constituents) is not None
                for phrase in range(len(phrases.labels))
                if below
                == tuple(
                    range(sentence.start + phrases.starts[phrase], sentence.start + phrases.ends[phrase])
                )
            ),
            "",
        )
        assert labels[node] == expected
