"""Versions of a corpus differ in coreference alone, and cover all their documents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.data import Argument, Corpus, Dependencies, Mention, Sentence
from disco2.experiments.bench import AUTOMATIC, Bench
from disco2.experiments.configuration import Configuration
from disco2.experiments.coreference import (
    BUILT_IN,
    COREFERENCE,
    coreference_versions,
    layers_for_coreference,
    shares_table,
)
from disco2.experiments.multiclass import FULL, MULTICLASS_EXPERIMENT
from disco2.experiments.runs import OWN, Answers, RunPlan, RunResult
from disco2.reporting.findings import Measure
from tests.corpora.made_up import corpus, relation

OWN_MENTIONS = (Mention(0, 2, 1, "own"), Mention(4, 5, 4, "own"))
FOUND_MENTIONS = (Mention(1, 2, 1, "found"),)
ON_INTERSECTION = ("intersection, own", "intersection, automatic")
WITH_OWN = ("wsj_0201", "wsj_2301")
ALL = (*WITH_OWN, "wsj_0202", "wsj_2302")


def made_up(*, with_own: tuple[str, ...] = WITH_OWN, name: str = "pdtb2") -> Corpus:
    """Four documents without dependencies; some have two mentions of one entity, in different arguments."""
    made = corpus([relation(one, 1, ["Contingency.Cause"]) for one in ALL], name=name)
    parts = {one: "test" if one.startswith("wsj_23") else "train" for one in ALL}
    documents = {
        key: replace(
            one,
            sentences=tuple(replace(some, dependencies=None) for some in one.sentences),
            mentions=OWN_MENTIONS if key in with_own else None,
        )
        for key, one in made.documents.items()
    }
    return replace(made, name=name, documents=documents, parts=parts)


def annotated(own: Corpus, *, layers: tuple[str, ...] = ("dependencies", "coreference")) -> Corpus:
    """New dependencies, and the dog as an entity of its own in every document."""

    def parsed(sentence: Sentence) -> Sentence:
        words = sentence.end - sentence.start
        return replace(sentence, dependencies=Dependencies((-1, *(0,) * (words - 1)), ("dep",) * words))

    documents = {
        key: replace(one, sentences=tuple(map(parsed, one.sentences)), mentions=FOUND_MENTIONS)
        for key, one in own.documents.items()
    }
    return replace(own, documents=documents, automatic=layers, annotators="somebody")


def bench(own: Corpus, automatic: Corpus | None = None) -> Bench:
    return Bench(coreference_versions(own, automatic or annotated(own)), Configuration(), seeds=(1,))


def result(plan: RunPlan) -> RunResult:
    answers = Answers(
        ("wsj_2301:1",),
        ("wsj_2301",),
        (("Contingency.Cause",),),
        np.array([True]),
        ("Contingency.Cause", "Expansion.List"),
        np.array([[1.0, 0.0]], dtype=np.float32),
    )
    return RunResult(answers.labels, {"dev": answers, "test": answers})


def test_where_some_documents_have_coreference_they_are_versions_for_themselves() -> None:
    found = bench(made_up())
    assert tuple(found.corpora) == (AUTOMATIC, *ON_INTERSECTION)
    for name in ON_INTERSECTION:
        assert tuple(found.corpora[name].documents) == WITH_OWN
        assert {one.document for one in found.corpora[name].relations} == set(WITH_OWN)
        assert found.corpora[name].notes == ("2 of 4 documents have coreference.",)


@pytest.mark.parametrize("with_own", [(), ALL])
def test_no_intersection_where_none_or_all_have_coreference(with_own: tuple[str, ...]) -> None:
    versions = bench(made_up(with_own=with_own)).corpora
    assert tuple(versions) == ((OWN, AUTOMATIC) if with_own else (AUTOMATIC,))


def test_versions_differ_in_coreference_alone() -> None:
    for with_own, names in ((WITH_OWN, ON_INTERSECTION), (ALL, (OWN, AUTOMATIC))):
        versions = bench(made_up(with_own=with_own)).corpora
        own, automatic = (versions[name] for name in names)
        for name, document in own.documents.items():
            assert document.mentions == OWN_MENTIONS
            assert automatic.documents[name].mentions == FOUND_MENTIONS
            assert replace(document, mentions=None) == replace(automatic.documents[name], mentions=None)
            assert all(sentence.dependencies for sentence in document.sentences)
        assert own.automatic == ("dependencies",)
        assert (own.relations, own.parts, own.annotators) == (
            automatic.relations,
            automatic.parts,
            "somebody",
        )


def test_a_corpus_with_all_layers_stays_as_it_is() -> None:
    own = annotated(made_up(with_own=ALL))
    own = replace(
        own,
        automatic=(),
        annotators="",
        documents={key: replace(one, mentions=OWN_MENTIONS) for key, one in own.documents.items()},
    )
    assert bench(own, annotated(own, layers=("coreference",))).corpora[OWN] == own


def test_own_mentions_stay_on_their_own_tokens() -> None:
    own = made_up(with_own=ALL)
    versions = bench(own, annotated(own, layers=("tokens", "tags", "coreference"))).corpora
    assert versions[OWN] == own


def test_the_main_version_has_coreference_in_every_document() -> None:
    for with_own, main in ((WITH_OWN, AUTOMATIC), ((), AUTOMATIC), (ALL, OWN)):
        found = bench(made_up(with_own=with_own))
        assert found.main == main
        assert found.corpus is found.corpora[main]
        assert {plan.layers for plan in MULTICLASS_EXPERIMENT.plans(found)} == {main}
        assert {plan.layers for plan in found.plans(FULL, layers="other")} == {"other"}
    partial = made_up()
    both = Bench({OWN: partial, AUTOMATIC: annotated(partial)}, Configuration(), seeds=(1,))
    assert both.main == AUTOMATIC
    assert Bench({OWN: partial}, Configuration(), seeds=(1,)).main == OWN


def test_only_what_a_document_lacks_altogether_is_made_anew() -> None:
    own = made_up()  # one sentence of each document has no constituents
    assert layers_for_coreference(own) == "dependencies,coreference"
    assert layers_for_coreference(annotated(own)) == "coreference"
    bare = replace(
        own.documents["wsj_0201"],
        sentences=tuple(replace(one, constituents=None) for one in own.documents["wsj_0201"].sentences),
        tokens=tuple(replace(one, tag="") for one in own.documents["wsj_0201"].tokens),
    )
    lacking = replace(own, documents={**own.documents, "wsj_0201": bare})
    assert layers_for_coreference(lacking) == "tags,dependencies,constituents,coreference"


def test_shares_are_of_covered_versions_and_of_relations_with_tokens() -> None:
    own = made_up()
    nothing = replace(relation("wsj_2301", 2, ["Contingency.Cause"]), arg2=Argument((), ""))
    own = replace(own, relations=(*own.relations, nothing))
    table = shares_table(bench(own), beside=False)
    test = {row[0]: row[-1] for row in table.rows}
    assert test == {
        AUTOMATIC: Measure(0.0, n=2),
        "intersection, own": Measure(1.0, n=1),
        "intersection, automatic": Measure(0.0, n=1),
    }


def test_the_intersection_is_said_to_be_trained_on() -> None:
    partial = COREFERENCE.findings(bench(made_up()), result)
    assert any("trained on its documents alone" in note for note in partial.tables[1].notes)
    assert "not measured here" in partial.tables[1].notes[0]
    whole = COREFERENCE.findings(bench(made_up(with_own=ALL)), result)
    assert not any("intersection" in note for note in whole.tables[1].notes)
    assert "differ in coreference alone" in whole.words[1]


def test_the_built_in_resolver_knows_gums_training_documents() -> None:
    for name, annotators, said in (
        ("gum", f"{BUILT_IN} 0a1b", True),
        ("gum", "somebody", False),
        ("pdtb2", BUILT_IN, False),
    ):
        own = made_up(with_own=ALL, name=name)
        found = COREFERENCE.findings(bench(own, replace(annotated(own), annotators=annotators)), result)
        assert ("trained on GUM's training documents" in found.words[1]) == said
