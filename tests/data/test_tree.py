"""Binary argument trees keep the words in order, whatever the argument looks like."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.data import Constituents, Document, Mention, Sentence, Token
from disco2.data.records import find_runs
from disco2.data.tree import (
    ArgumentTree,
    MentionIndex,
    aligned_pairs,
    argument_tree,
    entity_links,
    mention_node,
    node_labels,
    shared_entities,
)
from disco2.errors import InputError
from tests.strategies import arguments, documents, mentions, relation


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


def test_pairs_are_placed_by_their_heads_or_by_all_their_words() -> None:
    document = replace(
        bob_and_tina(), mentions=(Mention(3, 5, 4, "a"), Mention(0, 1, 0, "a"), Mention(6, 7, 6, "a"))
    )
    tokens = document.tokens
    index, related = MentionIndex(document), relation(FIRST, SECOND)
    she = (tokens[6].start, tokens[6].end)
    bob = (tokens[0].start, tokens[0].end)
    assert aligned_pairs(document, related, index) == {
        (bob, she),
        ((tokens[4].start, tokens[4].end), she),
    }


def test_a_mention_is_in_the_argument_that_has_its_head() -> None:
    document = replace(bob_and_tina(), mentions=(Mention(3, 5, 4, "a"), Mention(6, 7, 6, "a")))
    related = relation((0, 1, 3, 5), SECOND)
    assert aligned_pairs(document, related, MentionIndex(document)) == set()
    assert shared_entities({"d": document}, [related]) == [False]


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


@given(st.sets(st.integers(0, 30), min_size=1).map(sorted))
def test_runs_cover_the_tokens_and_have_gaps_between_them(tokens: list[int]) -> None:
    runs = find_runs(tokens)
    assert [token for begin, end in runs for token in range(begin, end)] == tokens
    assert all(end < begin for (_, end), (begin, _) in pairwise(runs))
