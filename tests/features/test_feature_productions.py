"""Production rules: worked examples, and a slow twin."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from disco2.features.productions import argument_productions
from disco2.records import Argument, Constituents, Document
from tests.features.feature_documents import (
    make_argument,
    make_document,
    random_instances,
    read_brackets,
    seeded,
)

RAIN = "(S (NP (DT The) (NN rain)) (VP (VBD stopped) (ADVP (RB early)) (PP (IN at) (NP (NN noon)))) (. .))"


def rain_document() -> Document:
    tree, words = read_brackets(RAIN)
    return make_document((words, tree, None))


def rules_of(doc: Document, tokens: range | list[int]) -> set[str]:
    return argument_productions(doc, make_argument(doc, tokens))


def test_a_whole_sentence_gives_all_rules_and_all_words() -> None:
    assert rules_of(rain_document(), range(7)) == {
        "S -> NP VP .",
        "NP -> DT NN",
        "VP -> VBD ADVP PP",
        "ADVP -> RB",
        "PP -> IN NP",
        "NP -> NN",
        "DT -> The",
        "NN -> rain",
        "VBD -> stopped",
        "RB -> early",
        "IN -> at",
        "NN -> noon",
        ". -> .",
    }


def test_only_phrases_wholly_within_the_argument_count() -> None:
    doc = rain_document()
    assert rules_of(doc, range(1, 4)) == {"ADVP -> RB", "NN -> rain", "VBD -> stopped", "RB -> early"}


def test_a_gap_breaks_the_phrases_across_it() -> None:
    doc = rain_document()
    assert rules_of(doc, [0, 1, 2, 4, 5]) == {
        "NP -> DT NN",
        "PP -> IN NP",
        "NP -> NN",
        "DT -> The",
        "NN -> rain",
        "VBD -> stopped",
        "IN -> at",
        "NN -> noon",
    }


def test_several_sentences_and_one_without_a_tree() -> None:
    first, first_words = read_brackets("(S (NP (PRP She)) (VP (VBD left)))")
    last, last_words = read_brackets("(S (VP (VB Go)))")
    doc = make_document((first_words, first, None), (["no", "tree"], None, None), (last_words, last, None))
    assert rules_of(doc, range(1, 5)) == {
        "VP -> VBD",
        "VBD -> left",
        "S -> VP",
        "VP -> VB",
        "VB -> Go",
    }
    assert rules_of(doc, range(2, 4)) == set()


def test_unary_chains_are_kept() -> None:
    tree, words = read_brackets("(S (NP (NP (NNS Dogs))) (VP (VBP bark)))")
    doc = make_document((words, tree, None))
    assert rules_of(doc, [0]) == {"NP -> NP", "NP -> NNS", "NNS -> Dogs"}


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
    assert rules_of(doc, [0]) == {"X -> X", "X -> UH", "UH -> oh"}


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
