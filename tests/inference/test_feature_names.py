"""Every column has a name a person can read."""

from __future__ import annotations

import pytest

from disco2.features import FeatureExtractor, FeatureSettings

READABLE = {
    "pair:rain|cancel": "stem 'rain' in arg1, 'cancel' in arg2",
    "both:NP -> DT NN": "NP -> DT NN in both arguments",
    "arg2:fell <- <nsubj>": "fell <- <nsubj> in arg2",
    "first:arg1[2]=was": "word 2 of arg1 is 'was'",
    "predicates:arg1 negated": "arg1 negated",
    "predicates:tenses: past, present": "tenses: past, present",
    "attachment:arg2 hangs in arg1 as advcl VBG": "arg2 hangs in arg1 as advcl VBG",
    "openings:arg1 begins with 'there was'": "arg1 begins with 'there was'",
    "neighbouring_relations:previous relation: none": "previous relation: none",
    "layout:arg1 comes first": "arg1 comes first",
    "overlap:shared nouns: 2": "shared nouns: 2",
}
CONTEXT = ["previous embedded in arg1", "following embedded in arg2"]


@pytest.mark.parametrize("switched", [True, False])
def test_names_follow_the_columns(switched: bool) -> None:
    families = {
        "predicates": ("arg1 negated", "tenses: past, present"),
        "attachment": ("arg2 hangs in arg1 as advcl VBG",),
        "openings": ("arg1 begins with 'there was'",),
        "neighbouring_relations": ("previous relation: none",),
        "layout": ("arg1 comes first",),
        "overlap": ("shared nouns: 2",),
    }
    extractor = FeatureExtractor(
        FeatureSettings(),
        word_pairs=(("rain", "cancel"),),
        production_rules=(("both", "NP -> DT NN"),),
        dependency_rules=(("arg2", "fell <- <nsubj>"),),
        first_words=(("arg1", 2, "was"),),
        **(families if switched else {}),
    )
    names = list(READABLE)[: None if switched else 4]
    assert list(extractor.names[:-6]) == names
    readable = list(extractor.readable_names)
    assert readable[:-6] == [READABLE[name] for name in names]
    assert readable[-6:-4] == CONTEXT
