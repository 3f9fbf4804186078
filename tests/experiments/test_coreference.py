"""Versions of a corpus by coreference or layers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disco2.bundle import load_bundle
from disco2.data import Argument, Corpus, Dependencies, Instance, Mention, RelationKind, Sentence
from disco2.experiments.bench import AUTOMATIC, Bench
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.coreference import (
    COREFERENCE,
    compare_layers,
    coreference_versions,
    layers_for_coreference,
    right_answers,
    shares_table,
)
from disco2.experiments.division import across_sentences, as_running_text, divide
from disco2.experiments.evaluating import Answers, evaluate_model
from disco2.experiments.paper import MULTICLASS_EXPERIMENT
from disco2.experiments.runs import OWN, RunPlan, RunResult
from disco2.experiments.train_run import save_model, train_model
from disco2.reporting.findings import Measure
from tests.corpora.made_up import corpus, document, relation

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


@pytest.mark.parametrize(
    ("with_own", "names", "main"),
    [
        (WITH_OWN, (AUTOMATIC, *ON_INTERSECTION), AUTOMATIC),
        (ALL, (OWN, AUTOMATIC), OWN),
        ((), (AUTOMATIC,), AUTOMATIC),
    ],
)
def test_versions_and_the_main_one_which_has_coreference_in_every_document(
    with_own: tuple[str, ...], names: tuple[str, ...], main: str
) -> None:
    found = bench(made_up(with_own=with_own))
    assert tuple(found.corpora) == names
    for name in set(names) & set(ON_INTERSECTION):
        assert tuple(found.corpora[name].documents) == WITH_OWN
        assert {one.document for one in found.corpora[name].relations} == set(WITH_OWN)
        assert found.corpora[name].notes == ("2 of 4 documents have coreference.",)
    assert found.main == main
    assert found.corpus is found.corpora[main]
    assert {plan.layers for plan in MULTICLASS_EXPERIMENT.plans(found)} == {main}


def test_versions_differ_in_coreference_alone() -> None:
    for with_own, names in ((WITH_OWN, ON_INTERSECTION), (ALL, (OWN, AUTOMATIC))):
        versions = bench(made_up(with_own=with_own)).corpora
        own, automatic = (versions[name] for name in names)
        for name, one in own.documents.items():
            assert one.mentions == OWN_MENTIONS
            assert automatic.documents[name].mentions == FOUND_MENTIONS
            assert replace(one, mentions=None) == replace(automatic.documents[name], mentions=None)
            assert all(sentence.dependencies for sentence in one.sentences)
        assert own.automatic == ("dependencies",)
        assert (own.relations, own.parts, own.annotators) == (
            automatic.relations,
            automatic.parts,
            "somebody",
        )


def test_own_mentions_stay_on_their_own_tokens() -> None:
    own = made_up(with_own=ALL)
    versions = bench(own, annotated(own, layers=("tokens", "tags", "coreference"))).corpora
    assert versions[OWN] == own


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


def test_findings_on_the_papers_corpus_have_its_figures_beside_ours() -> None:
    shares, accuracies, _ = COREFERENCE.findings(bench(made_up()), result).tables
    assert (shares.columns[-1], accuracies.columns[-1]) == ("test, published", "with, published")
    assert "not measured here" in accuracies.notes[0]
    assert "trained on its documents alone" in accuracies.notes[1]


QUICK = read_configuration(
    None, ["model.kind=surface", "training.epochs=2", "task.outcomes=running-text", "task.minimum=1"]
)


@pytest.fixture(scope="module")
def layered(role_pairs: Corpus) -> Corpus:
    """Role pairs of which every third is an EntRel."""
    relations = tuple(
        replace(one, kind=RelationKind.ENTREL, senses=()) if number % 3 == 0 else one
        for number, one in enumerate(role_pairs.relations)
    )
    return replace(role_pairs, relations=relations)


def test_every_seed_is_judged_both_ways(layered: Corpus) -> None:
    bare = replace(
        layered, documents={name: replace(one, mentions=()) for name, one in layered.documents.items()}
    )
    found = compare_layers({"gold": layered, "no chains": bare}, QUICK, seeds=(1, 2))
    (table,) = found.tables
    assert [row[:2] for row in table.rows] == [
        (layers, part) for layers in ("gold", "no chains") for part in ("dev", "test")
    ]
    for cell in table.rows[0][2:]:
        assert isinstance(cell, Measure)
        assert cell.deviation is not None


def test_a_sense_is_chosen_although_entrel_is_likelier(layered: Corpus, tmp_path: Path) -> None:
    parts = divide(layered, QUICK)
    fitted = train_model(layered, parts, QUICK)
    model = fitted.model
    assert model.labels.count("EntRel") == 1
    bias = np.where(model.is_sense, model.parameters["b"], 1e4).astype(np.float32)
    certain = replace(model, parameters={**model.parameters, "b": bias})
    instances = parts.instances["test"]
    answers = right_answers(certain, instances)
    is_entrel = np.array([one.gold == ("EntRel",) for one in instances])
    assert answers["running_text"].tolist() == is_entrel.tolist()
    assert answers["senses"].shape == (int((~is_entrel).sum()),)
    assert answers["senses"].any()

    save_model(replace(fitted, model=certain), parts, QUICK, layered, tmp_path / "model")
    judged = evaluate_model(*load_bundle(tmp_path / "model"), layered, part="test")
    assert judged.evaluation.accuracy == pytest.approx(is_entrel.mean())
    assert judged.senses_only is not None
    assert judged.senses_only.accuracy == pytest.approx(answers["senses"].mean())
    assert "EntRel" not in judged.senses_only.per_sense
    assert judged.to_json()["senses_only"]["n"] == answers["senses"].size


def test_running_text_is_pairs_of_whole_neighbouring_sentences() -> None:
    doc = document("a")  # two sentences: tokens 0 to 3, and 4 to 11

    def instance(arg1: tuple[int, ...], arg2: tuple[int, ...]) -> Instance:
        return Instance(relation("a", 1, ["X"], arg1=arg1, arg2=arg2), doc, ("X",))

    inside, between, wide = instance((0, 1), (2,)), instance((1, 2), (6, 10)), instance((2,), (3, 4))
    assert across_sentences([inside, between, wide]) == [between]
    (widened,) = as_running_text([inside, between, wide])
    assert widened.relation.arg1.tokens == (0, 1, 2, 3)
    assert widened.relation.arg2.text == "Nobody (not even Ann-Lea) slept."
    assert widened.gold == between.gold
