"""Chains from span groups."""

from __future__ import annotations

import pytest

pytest.importorskip("spacy")
import spacy
from spacy.tokens import Doc

from disco2.annotation.spacy_pipeline import chains_of


@pytest.fixture
def doc() -> Doc:
    return spacy.blank("en").make_doc("Ann met Bob . She liked him .")


def test_a_group_is_a_chain(doc: Doc) -> None:
    doc.spans["coref_clusters_1"] = [doc[4:5], doc[0:1]]
    doc.spans["coref_clusters_2"] = [doc[2:3], doc[6:7], doc[6:7]]
    assert chains_of(doc) == [(0, 1, "1"), (2, 3, "2"), (4, 5, "1"), (6, 7, "2")]


def test_other_groups_are_none(doc: Doc) -> None:
    doc.spans["coref_head_clusters_1"] = [doc[0:1]]
    doc.spans["sc"] = [doc[0:1]]
    assert chains_of(doc) is None
    assert chains_of(doc, prefix="coref_head_clusters") == [(0, 1, "1")]


def test_no_mention_is_not_the_same_as_no_group(doc: Doc) -> None:
    doc.spans["coref_clusters_1"] = []
    assert chains_of(doc) == []
