"""Held-out relations, two senses as two instances, balanced classes."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.data import Instance
from disco2.errors import InputError
from disco2.training.fit import balance, expand_two_senses, hold_out
from tests.instances import instance as labelled_instance


def instance(number: int, *gold: str) -> Instance:
    made = labelled_instance(number, ["It", "rains", "."], ["We", "go", "."], "")
    return Instance(made.relation, made.document, gold)


def test_two_senses_make_two_training_instances() -> None:
    expanded = expand_two_senses([instance(1, "A", "B"), instance(2, "A"), instance(3)])
    assert [(each.relation.id, each.gold) for each in expanded] == [
        ("d1:1", ("A",)),
        ("d1:1", ("B",)),
        ("d2:1", ("A",)),
    ]


@given(st.lists(st.sampled_from("AB"), max_size=30), st.integers(0, 3))
def test_balancing_repeats_the_smaller_class(golds: list[str], seed: int) -> None:
    instances = [instance(number, gold) for number, gold in enumerate(golds)]
    balanced = balance(instances, seed=seed)
    counts = Counter(each.gold[0] for each in balanced)
    assert len(set(counts.values())) <= 1
    assert balanced[: len(instances)] == instances
    assert all(each in instances for each in balanced)
    assert max(counts.values(), default=0) == max(Counter(golds).values(), default=0)
    assert balance(instances, seed=seed) == balanced


def test_holding_out_keeps_everything_in_order() -> None:
    instances = [instance(number, "A") for number in range(50)]
    training, held = hold_out(instances, share=0.2, seed=3)
    assert (len(training), len(held)) == (40, 10)
    assert sorted(training + held, key=instances.index) == instances
    assert held == [each for each in instances if each in held]
    assert hold_out(instances, share=0.2, seed=3) == (training, held)
    assert hold_out(instances, share=0.2, seed=4) != (training, held)
    with pytest.raises(InputError, match="too few"):
        hold_out(instances[:1], share=0.2, seed=3)


def test_no_label_loses_its_last_instance() -> None:
    golds = [*[("A",)] * 20, ("B",), ("C", "D"), ("D",)]
    instances = [instance(number, *gold) for number, gold in enumerate(golds)]
    for seed in range(20):
        training, held = hold_out(instances, share=0.5, seed=seed)
        assert {label for each in training for label in each.gold} == set("ABCD")
        assert len(held) == 12
    with pytest.raises(InputError, match="each label has one alone"):
        hold_out(instances[19:22], share=0.5, seed=1)
