from __future__ import annotations

import pytest

from disco2.records.sense_mapping import senses_2_to_3, senses_3_to_2
from disco2.records.senses import inventory

PDTB2, PDTB3 = inventory("pdtb2"), inventory("pdtb3")


def test_every_sense_of_2_has_one_in_3() -> None:
    mapped = [senses_2_to_3(sense) for sense in PDTB2.all_senses]
    assert set(mapped) <= set(PDTB3.all_senses)


def test_every_sense_of_3_but_manner_has_one_in_2() -> None:
    without = [sense for sense in PDTB3.all_senses if senses_3_to_2(sense) is None]
    assert without == [sense for sense in PDTB3.all_senses if "Manner" in sense]
    assert {senses_3_to_2(sense) for sense in PDTB3.all_senses} - {None} <= set(PDTB2.all_senses)


@pytest.mark.parametrize("level", [1, 2])
def test_the_mapping_keeps_to_the_hierarchy(level: int) -> None:
    """A sense and its own prefix end in the same class, whichever is mapped, and depth never gets lost."""
    for sense in PDTB2.all_senses:
        mapped = senses_2_to_3(sense)
        assert mapped is not None
        if PDTB2.at_level(sense, level) is not None:
            assert PDTB3.at_level(mapped, level) is not None
        assert mapped.split(".")[0] == sense.split(".")[0]


@pytest.mark.parametrize(
    ("two", "three"),
    [
        ("Temporal.Synchrony", "Temporal.Synchronous"),
        ("Comparison.Concession.Contra-expectation", "Comparison.Concession.Arg2-as-denier"),
        ("Expansion.Restatement.Specification", "Expansion.Level-of-detail.Arg2-as-detail"),
        ("Expansion.Restatement.Equivalence", "Expansion.Equivalence"),
        ("Contingency.Pragmatic cause.Justification", "Contingency.Cause+Belief.Reason+Belief"),
        ("Expansion.Alternative.Chosen alternative", "Expansion.Substitution.Arg2-as-subst"),
        ("Contingency.Cause.Reason", "Contingency.Cause.Reason"),
        ("Temporal", "Temporal"),
    ],
)
def test_senses_that_only_changed_their_name_come_back(two: str, three: str) -> None:
    assert senses_2_to_3(two) == three
    assert senses_3_to_2(three) == two


def test_list_becomes_conjunction_and_purpose_becomes_cause() -> None:
    assert senses_2_to_3("Expansion.List") == "Expansion.Conjunction"
    assert senses_3_to_2("Contingency.Purpose.Arg2-as-goal") == "Contingency.Cause.Result"


def test_names_of_the_other_scheme_are_not_mapped() -> None:
    assert senses_2_to_3("Expansion.Level-of-detail") is None
    assert senses_3_to_2("Expansion.Restatement") is None
