"""Pairs, rules, first words, context: worked examples, and a slow twin of the production rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.data import Argument, Constituents, Dependencies, Document, Instance, Relation
from disco2.data.tree import pieces
from disco2.errors import LayerError
from disco2.features.pairs_and_rules import (
    CONTEXT_NAMES,
    argument_dependency_rules,
    argument_productions,
    context,
    stem,
)
from tests.features.feature_documents import (
    make_argument,
    make_document,
    make_instance,
    make_relation,
    random_instances,
    seeded,
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("RELATIONAL", "relat"),
        ("hungry", "hungri"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("agreed", "agre"),
        ("sky", "sky"),
        ("sayings", "sai"),
        ("controlling", "control"),
        ("adoption", "adopt"),
        ("", ""),
        ("...", "..."),
        ("Über", "über"),
        ("\ud800s", "\ud800s"),
    ],
)
def test_known_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


GAVE = ["Ann", "gave", "the", "boy", "bread", "."]
GAVE_DEPENDENCIES = Dependencies(
    heads=(1, -1, 3, 1, 1, 1), labels=("nsubj", "root", "det", "iobj", "obj", "punct")
)


def gave_document() -> Document:
    return make_document((GAVE, None, GAVE_DEPENDENCIES), (["So", "nice"], None, None))


def dependency_rules(doc: Document, tokens: range | list[int]) -> set[str]:
    return argument_dependency_rules(doc, make_argument(doc, tokens))


def test_dependency_rules_list_labels_in_the_order_of_the_words() -> None:
    assert dependency_rules(gave_document(), range(6)) == {
        "gave <- <nsubj> <iobj> <obj> <punct>",
        "boy <- <det>",
    }


def test_a_sentence_without_dependencies_has_no_rules() -> None:
    assert dependency_rules(gave_document(), range(4, 8)) == set()


def test_pieces_refuse_tokens_outside_all_sentences() -> None:
    doc = replace(gave_document(), sentences=gave_document().sentences[:1])
    with pytest.raises(LayerError, match="Token 6"):
        list(pieces(doc, range(3, 8)))


LETTERS = make_document((list("abcdefghijkl"), None, None))


def neighbour(arg1: list[int], arg2: list[int]) -> Relation:
    return make_relation(LETTERS, arg1, arg2)


THIS = make_instance(LETTERS, [2, 3, 4, 5], [6, 7, 8, 9])


@pytest.mark.parametrize(
    ("previous", "following", "expected"),
    [
        (None, None, set()),
        (neighbour([0], [1]), neighbour([10], [11]), set()),
        (neighbour([2], [4, 5]), None, {"previous embedded in arg1"}),
        (neighbour([1, 2], [4, 5]), None, set()),
        (neighbour([2], [5, 6]), None, set()),
        (None, neighbour([6, 7], [9]), {"following embedded in arg2"}),
        (None, neighbour([5, 6], [9]), set()),
        (neighbour([0], list(range(2, 11))), None, {"embedded in previous arg2"}),
        (neighbour(list(range(2, 11)), [0]), None, set()),
        (None, neighbour(list(range(1, 10)), [10]), {"embedded in following arg1"}),
        (None, neighbour(list(range(3, 10)), [10]), set()),
        (neighbour([0, 1], [2, 3, 4, 5]), None, {"previous arg2 equals arg1"}),
        (neighbour([0, 1], [2, 3, 4]), None, set()),
        (
            neighbour([0, 1], [2, 3, 4, 5]),
            neighbour([6, 7, 8, 9], [10]),
            {"previous arg2 equals arg1", "arg2 equals following arg1"},
        ),
    ],
)
def test_context(previous: Relation | None, following: Relation | None, expected: set[str]) -> None:
    instance = Instance(THIS.relation, LETTERS, previous=previous, following=following)
    assert {CONTEXT_NAMES[place] for place in context(instance)} == expected


def productions_of(doc: Document, tokens: range | list[int]) -> set[str]:
    return argument_productions(doc, make_argument(doc, tokens))


def test_a_deep_tree_needs_no_recursion() -> None:
    depth = 20_000
    tree = Constituents(
        labels=("X",) * depth,
        starts=(0,) * depth,
        ends=(1,) * depth,
        parents=tuple(range(-1, depth - 1)),
        tags=("UH",),
    )
    doc = make_document((["oh"], tree, None))
    assert productions_of(doc, [0]) == {"X -> X", "X -> UH", "UH -> oh"}


def slow_productions(doc: Document, argument: Argument) -> set[str]:
    """Straight from the definition of Constituents."""
    inside = set(argument.tokens)
    rules = set()
    for sentence in doc.sentences:
        tree = sentence.constituents
        if tree is None:
            continue
        for node, label in enumerate(tree.labels):
            span = range(tree.starts[node], tree.ends[node])
            if not all(sentence.start + place in inside for place in span):
                continue
            phrases = [child for child, parent in enumerate(tree.parents) if parent == node]
            covered = {place for child in phrases for place in range(tree.starts[child], tree.ends[child])}
            parts = [(tree.starts[child], tree.labels[child]) for child in phrases]
            parts += [(place, tree.tags[place]) for place in span if place not in covered]
            rules.add(f"{label} -> " + " ".join(name for _, name in sorted(parts)))
        for place, tag in enumerate(tree.tags):
            if sentence.start + place in inside:
                rules.add(f"{tag} -> {doc.tokens[sentence.start + place].text}")
    return rules


@given(st.integers(0, 2**32))
def test_the_slow_twin_agrees(seed: int) -> None:
    rng = seeded(seed)
    for instance in random_instances(rng, 2, words=["a", "b", "c"], classes=["X", "Y"]):
        for argument in (instance.relation.arg1, instance.relation.arg2):
            expected = slow_productions(instance.document, argument)
            assert argument_productions(instance.document, argument) == expected
