"""Senses of one inventory in the terms of another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disco2.corpora.convert import with_senses_of
from disco2.errors import CorpusError
from tests.corpora.made_up import corpus, relation


def test_senses_are_mapped_and_those_without_a_counterpart_are_findings() -> None:
    relations = [
        relation("a", 1, ["Expansion.Level-of-detail.Arg2-as-detail", "Expansion.Manner.Arg2-as-manner"]),
        relation("a", 2, ["Temporal.Synchronous"]),
        relation("a", 3, []),
    ]
    given = replace(corpus(relations), inventory="gdtb")
    found = with_senses_of(given, "pdtb2")
    assert found.inventory == "pdtb2"
    assert [one.senses for one in found.relations] == [
        ("Expansion.Restatement.Specification",),
        ("Temporal.Synchrony",),
        (),
    ]
    assert found.dirt.counts() == {"sense without a counterpart": 1}
    back = with_senses_of(found, "pdtb3")
    assert back.relations[0].senses == ("Expansion.Level-of-detail.Arg2-as-detail",)
    assert with_senses_of(given, "gdtb") is given


def test_free_labels_have_no_mapping() -> None:
    with pytest.raises(CorpusError, match="can't be turned"):
        with_senses_of(replace(corpus([]), inventory="free"), "pdtb2")


def test_votes_are_mapped_with_the_senses() -> None:
    votes = (
        ("Contingency.Cause.Result", 0.25),
        ("Contingency.Purpose.Arg2-as-goal", 0.25),
        ("Comparison.Contrast", 0.25),
        ("NoRel", 0.25),
    )
    (found,) = with_senses_of(corpus([replace(relation("a", 1), votes=votes)]), "pdtb2").relations
    assert dict(found.votes) == pytest.approx(
        {"Contingency.Cause.Result": 2 / 3, "Comparison.Contrast": 1 / 3}
    )
