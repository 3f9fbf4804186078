"""The paper's table of shared entities, and what entities bring where arguments share one.

Versions of the corpus: coreference by an annotator ("automatic"), and as the corpus has it ("own"). Where
only some documents have coreference of their own, as in PDTB and OntoNotes, these documents are a version for
themselves (the intersection), under either coreference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from disco2.corpora.intersection import documents_with_coreference
from disco2.experiments.division import divide
from disco2.experiments.paper.bench import Bench, Experiment, Results
from disco2.experiments.paper.measuring import COMPARISON_COLUMNS, compare, measure, stacked
from disco2.experiments.paper.multiclass import FULL, WITHOUT_ENTITIES
from disco2.experiments.paper.published import (
    ENTITIES_ON_INTERSECTION,
    ENTITIES_ON_SHARED,
    SHARED_ENTITIES,
    SOURCE,
    is_papers_corpus,
    published,
)
from disco2.experiments.paper.turned import turned_relations
from disco2.experiments.runs.plan import OWN, RunPlan
from disco2.experiments.runs.result import Answers
from disco2.records import Corpus, RelationKind
from disco2.reporting.findings import Cell, Findings, Measure, Table, Turned
from disco2.trees import shared_entities

AUTOMATIC = "automatic"
INTERSECTION = "intersection, "
SYSTEMS = (WITHOUT_ENTITIES, FULL)


def layers_for_coreference(corpus: Corpus) -> str:
    """What is to be made anew: coreference, on trees and dependencies of the corpus where it has them."""
    sentences = [one for document in corpus.documents.values() for one in document.sentences]
    missing = [
        layer
        for layer, has in (
            ("dependencies", all(one.dependencies for one in sentences)),
            ("constituents", all(one.constituents for one in sentences)),
        )
        if not has
    ]
    return ",".join([*missing, "coreference"])


def coreference_versions(own: Corpus, automatic: Corpus) -> dict[str, Corpus]:
    """All versions that can be told apart; the corpus's own coreference must be there for some documents."""
    some = {OWN: own, AUTOMATIC: automatic}
    with_own = documents_with_coreference(own)
    if len(with_own.documents) < len(own.documents):
        some[INTERSECTION + OWN] = with_own
        some[INTERSECTION + AUTOMATIC] = _only(automatic, with_own)
    return some


def _only(corpus: Corpus, chosen: Corpus) -> Corpus:
    """The documents of one corpus that another one has."""
    return replace(
        corpus,
        documents={name: corpus.documents[name] for name in chosen.documents if name in corpus.documents},
        relations=tuple(one for one in corpus.relations if one.document in chosen.documents),
    )


def _compared(bench: Bench) -> list[str]:
    """The versions whose accuracy is measured: those whose coreference covers all their documents."""
    partial = INTERSECTION + OWN in bench.corpora
    return [name for name in bench.corpora if not (partial and name == OWN)]


def _plans(bench: Bench) -> list[RunPlan]:
    return [
        plan
        for layers in _compared(bench)
        for system in SYSTEMS
        for plan in bench.plans(system, layers=layers)
    ]


def _findings(bench: Bench, results: Results) -> Findings:
    rows: list[tuple[Cell, ...]] = []
    tests: list[tuple[Cell, ...]] = []
    beside = is_papers_corpus(bench, "lin")
    for layers in _compared(bench):
        answers = _test_answers(bench, results, layers)
        shared = answers[0][0].shared
        without, with_entities = (stacked(seeds) for seeds in answers)
        for subset, chosen in (("all", slice(None)), ("shared entities", shared)):
            pair = without[:, chosen], with_entities[:, chosen]
            theirs = _published(layers, subset) if beside else None
            row: tuple[Cell, ...] = (layers, subset, measure(pair[0]), measure(pair[1]))
            rows.append((*row, *(theirs or (None, None))) if beside else row)
            if found := compare(pair[1], pair[0]):
                tests.append((layers, subset, *found.cells()))
    columns = ["coreference", "subset", "without entities", "with entities"]
    if beside:
        columns += ["without, published", "with, published"]
    return Findings(
        name="coreference",
        title="Coreference",
        words=(
            "Which relations have coreferent entities depends on who looks for them; entities can help where "
            f"there are some. Models: {WITHOUT_ENTITIES.name}, {FULL.name}; {len(bench.seeds)} seeds.",
            f"Automatic coreference is by {bench.corpora[AUTOMATIC].annotators}.",
        ),
        tables=(
            shares_table(bench.corpora, bench, beside=beside),
            Table(
                name="coreference-accuracy",
                title="Test accuracy without and with entities",
                columns=tuple(columns),
                rows=tuple(rows),
                notes=(SOURCE,) if beside else (),
            ),
            Table(
                name="coreference-tests",
                title="With entities minus without",
                columns=("coreference", "subset", *COMPARISON_COLUMNS),
                rows=tuple(tests),
            ),
        ),
        turned=_turned(bench, results),
    )


def _test_answers(bench: Bench, results: Results, layers: str) -> list[list[Answers]]:
    """Of the model without and of the one with entities, for every seed."""
    return [
        [results(plan).answers["test"] for plan in bench.plans(system, layers=layers)] for system in SYSTEMS
    ]


def _published(layers: str, subset: str) -> tuple[Measure, Measure] | None:
    pairs = {
        (AUTOMATIC, "shared entities"): ENTITIES_ON_SHARED,
        (INTERSECTION + OWN, "all"): ENTITIES_ON_INTERSECTION,
    }
    found = pairs.get((layers, subset))
    return (published(found[0]), published(found[1])) if found else None


def shares_table(corpora: Mapping[str, Corpus], bench: Bench, *, beside: bool) -> Table:
    """The share of implicit relations whose arguments share an entity, by part."""
    rows: list[tuple[Cell, ...]] = []
    parts_shown = ("train", "test")
    for layers, corpus in corpora.items():
        parts = divide(corpus, bench.configuration)
        row: list[Cell] = [layers, len(corpus.documents)]
        for part in parts_shown:
            implicit = [one for one in parts.relations[part] if one.kind is RelationKind.IMPLICIT]
            shared = shared_entities(corpus.documents, implicit)
            row.append(Measure(sum(shared) / len(shared), n=len(shared)) if shared else None)
        if beside:
            theirs = SHARED_ENTITIES.get(layers)
            row += [published(value) for value in theirs] if theirs else [None, None]
        rows.append(tuple(row))
    columns = ("coreference", "documents", *parts_shown)
    return Table(
        name="coreference",
        title="Implicit relations whose arguments share an entity",
        columns=(*columns, "train, published", "test, published") if beside else columns,
        rows=tuple(rows),
        notes=(SOURCE,) if beside else (),
    )


def _turned(bench: Bench, results: Results) -> tuple[Turned, ...]:
    layers = INTERSECTION + OWN if INTERSECTION + OWN in bench.corpora else OWN
    before, after = _test_answers(bench, results, layers)
    return tuple(turned_relations(bench.corpora[layers], before, after))


COREFERENCE = Experiment("coreference", _plans, _findings)
