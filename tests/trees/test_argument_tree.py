"""Binary argument trees keep the words in order, whatever the argument looks like."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.errors import InputError
from disco2.records import Constituents, Document, Sentence, Token
from disco2.trees import ArgumentTree, argument_tree
from tests.strategies import arguments, documents, relation


def brackets(tree: ArgumentTree, document: Document) -> str:
    """The tree as nested brackets, by a loop over inner nodes."""
    shown = document.words(tree.tokens)
    for left, right in zip(tree.left, tree.right, strict=True):
        shown.append(f"({shown[left]} {shown[right]})")
    return shown[tree.root]


def bob_and_tina() -> Document:
    """Bob gave Tina the burger . / She was hungry ."""
    words = ["Bob", "gave", "Tina", "the", "burger", ".", "She", "was", "hungry", "."]
    starts = [sum(len(word) + 1 for word in words[:index]) for index in range(len(words))]
    tokens = tuple(Token(word, start, start + len(word)) for word, start in zip(words, starts, strict=True))
    first = Constituents(
        ("S", "NP", "VP", "NP", "NP"), (0, 0, 1, 2, 3), (6, 1, 5, 3, 5), (-1, 0, 0, 2, 2),
        ("NNP", "VBD", "NNP", "DT", "NN", "."),
    )  # fmt: skip
    second = Constituents(
        ("S", "NP", "VP", "ADJP"), (0, 0, 1, 2), (4, 1, 3, 3), (-1, 0, 0, 2), ("PRP", "VBD", "JJ", ".")
    )
    return Document("d", " ".join(words), tokens, (Sentence(0, 6, first), Sentence(6, 10, second)))


def tree_of(document: Document, tokens: tuple[int, ...]) -> ArgumentTree:
    return argument_tree(document, tokens, relation=relation(tokens, tokens))


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (tuple(range(5)), "(Bob (gave (Tina (the burger))))"),  # S is not inside: NP and VP are joined
        (tuple(range(6)), "(Bob ((gave (Tina (the burger))) .))"),
        ((6, 7, 8), "(She (was hungry))"),
        ((8,), "hungry"),
        ((0, 1, 2, 3), "(Bob (gave (Tina the)))"),
        ((0, 3, 4), "(Bob (the burger))"),  # a gap
        (tuple(range(10)), "((Bob ((gave (Tina (the burger))) .)) (She ((was hungry) .)))"),  # two sentences
    ],
)
def test_maximal_subtrees_are_joined_to_the_right(tokens: tuple[int, ...], expected: str) -> None:
    document = bob_and_tina()
    assert brackets(tree_of(document, tokens), document) == expected


def test_a_sentence_without_constituents_is_flat() -> None:
    document = bob_and_tina()
    document = replace(document, sentences=tuple(Sentence(s.start, s.end) for s in document.sentences))
    assert brackets(tree_of(document, tuple(range(6, 10))), document) == "(She (was (hungry .)))"


@given(st.data())
def test_yield_parents_and_spans(data: st.DataObject) -> None:
    document = data.draw(documents())
    tokens = data.draw(arguments(document))
    tree = tree_of(document, tokens)
    leaves = len(tokens)
    assert tree.tokens == tokens
    assert len(tree.left) == len(tree.right) == leaves - 1
    children = [*tree.left.tolist(), *tree.right.tolist()]
    assert sorted(children) == list(range(2 * leaves - 2))  # all but the root have one parent
    for inner, (left, right) in enumerate(zip(tree.left, tree.right, strict=True), leaves):
        assert left < inner
        assert right < inner
        assert tree.parent[left] == tree.parent[right] == inner
        assert tree.sibling(int(left)) == right
        assert tree.sibling(int(right)) == left
        assert tree.ends[left] == tree.starts[right]  # neighbours, in text order
        assert (tree.starts[inner], tree.ends[inner]) == (tree.starts[left], tree.ends[right])
    assert tree.parent[tree.root] == -1
    assert (tree.starts[tree.root], tree.ends[tree.root]) == (0, leaves)


@given(st.data())
def test_every_phrase_inside_the_argument_is_a_node(data: st.DataObject) -> None:
    document = data.draw(documents())
    tokens = data.draw(arguments(document))
    tree = tree_of(document, tokens)
    spans = {tokens[start:end] for start, end in zip(tree.starts, tree.ends, strict=True)}
    for sentence in document.sentences:
        if sentence.constituents is None:
            continue
        for start, end in zip(sentence.constituents.starts, sentence.constituents.ends, strict=True):
            phrase = tuple(range(sentence.start + start, sentence.start + end))
            if set(phrase) <= set(tokens):
                assert phrase in spans


@pytest.mark.parametrize("direction", ["right", "left"])
def test_a_tree_of_five_thousand_levels(direction: str) -> None:
    words = 5000
    starts = tuple(range(words - 1)) if direction == "right" else (0,) * (words - 1)
    ends = (words,) * (words - 1) if direction == "right" else tuple(range(words, 1, -1))
    deep = Constituents(("X",) * (words - 1), starts, ends, tuple(range(-1, words - 2)), ("NN",) * words)
    tokens = tuple(Token("w", 2 * index, 2 * index + 1) for index in range(words))
    document = Document("d", "w " * words, tokens, (Sentence(0, words, deep),))
    tree = tree_of(document, tuple(range(words)))
    assert tree.left.tolist()[-1 if direction == "right" else 0] == 0


def test_an_argument_without_tokens_is_an_error_that_names_the_relation() -> None:
    with pytest.raises(InputError, match="d:1"):
        tree_of(bob_and_tina(), ())
