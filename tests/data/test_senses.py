from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.data.senses import inventory, senses_2_to_3, senses_3_to_2
from disco2.errors import InputError

HIERARCHIES = ("pdtb2", "pdtb3", "gdtb")


@st.composite
def known_senses(draw: st.DrawFn) -> tuple[str, str]:
    name = draw(st.sampled_from(HIERARCHIES))
    return name, draw(st.sampled_from(inventory(name).all_senses))


@pytest.mark.parametrize(("name", "depths"), [("pdtb2", (4, 16, 23)), ("pdtb3", (4, 22, 28))])
def test_inventories_have_the_senses_of_their_manuals(name: str, depths: tuple[int, ...]) -> None:
    counts = Counter(sense.count(".") for sense in inventory(name).all_senses)
    assert tuple(counts[depth] for depth in range(3)) == depths


@pytest.mark.parametrize(
    ("name", "raw", "sense"),
    [
        ("pdtb2", "Contingency.Pragmatic_cause.justification", "Contingency.Pragmatic cause.Justification"),
        ("pdtb2", " expansion.alternative.chosen-alternative ", "Expansion.Alternative.Chosen alternative"),
        ("pdtb2", "Comparison.Concession.ContraExpectation", "Comparison.Concession.Contra-expectation"),
        ("pdtb3", "contingency.cause+belief.reason+belief", "Contingency.Cause+Belief.Reason+Belief"),
        ("pdtb3", "Contingency.Negative-cause.NegResult", "Contingency.Cause.NegResult"),
        ("gdtb", "expansion.exception.arg2-as-except", "Expansion.Exception.Arg2-as-excpt"),
        ("gdtb", "expansion", "Expansion"),
        ("gdtb", "Cmparison.Concession", "Comparison.Concession"),
        ("pdtb3", "Contingency.Cause", "Contingency.Cause"),
    ],
)
def test_other_spellings_are_no_faults(name: str, raw: str, sense: str) -> None:
    assert inventory(name).resolve(raw) == sense


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "  ",
        "NoRel",
        "EntRel",
        "Hypophora",
        "elaboration",
        "Comparison.Concession.Arg3-as-denier",
        "Expansion.Conjuntcion",
    ],
)
def test_what_is_no_sense_stays_unresolved(raw: str) -> None:
    assert inventory("gdtb").resolve(raw) is None


@given(known_senses(), st.data())
def test_case_spaces_and_hyphens_never_matter(known: tuple[str, str], data: st.DataObject) -> None:
    name, sense = known
    spelt = "".join(
        data.draw(st.sampled_from((character, character.upper(), character.lower())))
        + data.draw(st.sampled_from(("", "", " ", "-", "_")))
        for character in sense
    )
    assert inventory(name).resolve(spelt) == sense


def test_a_free_inventory_keeps_labels_whole() -> None:
    for name in ("", "free"):
        free = inventory(name)
        assert free.resolve(" my.own label ") == "my.own label"
        assert free.resolve(" ") is None


def test_unknown_names_say_what_there_is() -> None:
    with pytest.raises(InputError, match="pdtb2, pdtb3, gdtb, free"):
        inventory("rst")


def test_every_sense_of_gum_resolves(gum: Path) -> None:
    raw: set[str] = set()
    for file in (gum / "rst" / "gdtb" / "pdtb" / "gold" / "00").iterdir():
        for line in file.read_text(encoding="utf-8").splitlines():
            fields = line.split("|")
            raw.update(fields[place] for place in (8, 9, 11, 12) if fields[place])
    kinds = {"NoRel", "EntRel", "Hypophora"}
    assert [label for label in raw - kinds if inventory("gdtb").resolve(label) is None] == []


PDTB2, PDTB3 = inventory("pdtb2"), inventory("pdtb3")


def test_every_sense_of_2_has_one_in_3() -> None:
    mapped = [senses_2_to_3(sense) for sense in PDTB2.all_senses]
    assert set(mapped) <= set(PDTB3.all_senses)


def test_every_sense_of_3_but_manner_has_one_in_2() -> None:
    without = [sense for sense in PDTB3.all_senses if senses_3_to_2(sense) is None]
    assert without == [sense for sense in PDTB3.all_senses if "Manner" in sense]
    assert {senses_3_to_2(sense) for sense in PDTB3.all_senses} - {None} <= set(PDTB2.all_senses)


def test_the_mapping_keeps_the_class_and_the_type() -> None:
    for sense in PDTB2.all_senses:
        mapped = senses_2_to_3(sense)
        assert mapped is not None
        assert mapped.split(".")[0] == sense.split(".")[0]
        assert ("." in sense) <= ("." in mapped)


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
