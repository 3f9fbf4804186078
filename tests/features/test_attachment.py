"""How the heads of the arguments hang: worked examples, and a slow twin that looks at every word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from disco2.features.argument_heads import argument_heads
from disco2.features.attachment import attachment_features
from disco2.records import Argument, Document
from tests.features.clauses import clauses, tags_on_tokens, untagged, without_layers
from tests.features.feature_documents import make_argument, make_instance, random_instances, seeded

# It fell , breaking both .
FELL = "It/PRP/2/nsubj fell/VBD/0/root ,/,/2/punct Breaking/VBG/2/advcl both/DT/4/obj ././2/punct"


def test_one_clause_hangs_in_the_other() -> None:
    assert attachment_features(make_instance(clauses(FELL), range(3), range(3, 6))) == {
        "arg1 head: root",
        "arg1 head: root VBD",
        "arg1 heads: 1",
        "arg2 head: advcl",
        "arg2 head: advcl VBG",
        "arg2 heads: 1",
        "arg2 hangs in arg1 as advcl",
        "arg2 hangs in arg1 as advcl VBG",
        "arg2 hangs in arg1 as advcl VBG of VBD",
        "arg2 hangs in arg1 as advcl 'breaking'",
        "arg2 hangs in arg1 as advcl of 'fell'",
        "heads: root, advcl",
    }


def test_the_order_of_the_arguments_is_kept() -> None:
    found = attachment_features(make_instance(clauses(FELL), range(3, 6), range(3)))
    assert "arg1 hangs in arg2 as advcl VBG of VBD" in found
    assert "heads: advcl, root" in found
    assert not any(fact.startswith("arg2 hangs") for fact in found)


def test_arguments_of_two_sentences_do_not_hang_in_each_other() -> None:
    doc = clauses("Go/VB/0/root", FELL)
    found = attachment_features(make_instance(doc, [0], range(1, 7)))
    assert {"arg1 head: root VB", "arg2 head: root VBD", "heads: root, root"} <= found
    assert not any("hangs" in fact for fact in found)


def test_a_governor_outside_both_arguments_is_no_link() -> None:
    found = attachment_features(make_instance(clauses(FELL), [0], range(3, 6)))
    assert {"arg1 head: nsubj PRP", "heads: nsubj, advcl"} <= found
    assert not any("hangs" in fact for fact in found)


def test_heads_are_counted_up_to_three() -> None:
    doc = clauses("Go/VB/0/root", "Go/VB/0/root", "Go/VB/0/root", "Go/VB/0/root !/./1/punct")
    found = attachment_features(make_instance(doc, range(2), range(2, 5)))
    assert {"arg1 heads: 2", "arg2 heads: 2"} <= found
    found = attachment_features(make_instance(doc, [4], range(4)))
    assert {"arg2 heads: 3 or more"} <= found
    assert not any(fact.startswith(("arg1", "heads:")) for fact in found)  # punctuation is no head


def test_missing_layers() -> None:
    doc = clauses(FELL)
    both = range(3), range(3, 6)
    tagged = attachment_features(make_instance(doc, *both))
    assert attachment_features(make_instance(tags_on_tokens(doc), *both)) == tagged
    assert attachment_features(make_instance(untagged(doc), *both)) == {
        fact for fact in tagged if "VB" not in fact
    }
    assert attachment_features(make_instance(without_layers(doc), *both)) == set()


def slow_heads(doc: Document, argument: Argument) -> list[tuple[int, int, str]]:
    """Token, governor and label of each head, tokens of the document."""
    found = []
    for token in argument.tokens:
        sentence = doc.sentences[doc.sentence_index(token)]
        if sentence.dependencies is not None:
            head = sentence.dependencies.heads[token - sentence.start]
            label = sentence.dependencies.labels[token - sentence.start]
            governor = head + sentence.start if head >= 0 else -1
            if governor not in argument.tokens and label != "punct":
                found.append((token, governor, label))
    return found


@given(st.integers(0, 2**32))
def test_heads_and_dependents_are_those_of_the_slow_twin(seed: int) -> None:
    for instance in random_instances(seeded(seed), 3, words=["a", "b"], classes=["X"]):
        doc = instance.document
        for argument in (instance.relation.arg1, instance.relation.arg2):
            found = argument_heads(doc, argument)
            assert [
                (
                    head.sentence.start + head.position,
                    head.sentence.start + head.governor if head.governor >= 0 else -1,
                    head.label,
                )
                for head in found
            ] == slow_heads(doc, argument)
            for head in found:
                start = head.sentence.start
                assert head.sentence.dependencies is not None
                assert head.dependents() == [
                    (token - start, head.sentence.dependencies.labels[token - start])
                    for token in argument.tokens
                    if start <= token < head.sentence.end
                    and head.sentence.dependencies.heads[token - start] == head.position
                ]


def test_a_circle_of_heads_has_no_head() -> None:
    doc = clauses("a/NN/2/dep b/NN/1/dep c/NN/0/root")
    assert argument_heads(doc, make_argument(doc, range(2))) == []
    assert attachment_features(make_instance(doc, range(2), [2])) == {
        "arg2 head: root",
        "arg2 head: root NN",
        "arg2 heads: 1",
    }
