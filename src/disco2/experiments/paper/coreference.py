"""The paper's table of shared entities, and what entities bring where arguments share one.

Every row is about a version of the corpus (``coreference_versions``) whose coreference covers all documents.
"""

from __future__ import annotations

from disco2.data import RelationKind
from disco2.data.tree import shared_entities
from disco2.experiments.division import divide
from disco2.experiments.paper.bench import AUTOMATIC, Bench, Experiment, Results
from disco2.experiments.paper.coreference_versions import INTERSECTION, has_new_tokens
from disco2.experiments.paper.measuring import COMPARISON_COLUMNS, compare_answers, measure, stacked
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
from disco2.reporting.findings import Cell, Findings, Measure, Table, Turned

# In the name of the built-in annotators: its weights are from GUM's training part.
BUILT_IN = "disco2 mention ranking"
SYSTEMS = (WITHOUT_ENTITIES, FULL)


def _plans(bench: Bench) -> list[RunPlan]:
    return [
        plan for layers in bench.corpora for system in SYSTEMS for plan in bench.plans(system, layers=layers)
    ]


def _findings(bench: Bench, results: Results) -> Findings:
    rows: list[tuple[Cell, ...]] = []
    tests: list[tuple[Cell, ...]] = []
    beside = is_papers_corpus(bench, "lin")
    for layers in bench.corpora:
        answers = _test_answers(bench, results, layers)
        shared = answers[0][0].shared
        without, with_entities = (stacked(seeds) for seeds in answers)
        for subset, chosen in (("all", slice(None)), ("shared entities", shared)):
            pair = without[:, chosen], with_entities[:, chosen]
            theirs = _published(layers, subset) if beside else None
            row: tuple[Cell, ...] = (layers, subset, measure(pair[0]), measure(pair[1]))
            rows.append((*row, *(theirs or (None, None))) if beside else row)
            if found := compare_answers(answers[1], answers[0], chosen=chosen):
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
            _on_automatic(bench),
        ),
        tables=(
            shares_table(bench, beside=beside),
            Table(
                name="coreference-accuracy",
                title="Test accuracy without and with entities",
                columns=tuple(columns),
                rows=tuple(rows),
                notes=_accuracy_notes(bench, beside=beside),
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


def _on_automatic(bench: Bench) -> str:
    """Who made the automatic coreference, and what else the versions differ in."""
    automatic = bench.corpora[AUTOMATIC]
    said = [f"Automatic coreference is by {automatic.annotators}."]
    if automatic.name == "gum" and BUILT_IN in automatic.annotators:
        said.append(
            "This resolver was trained on GUM's training documents: on them its coreference is better than "
            "on the test part, and the models with entities learn from it."
        )
    if has_new_tokens(automatic):
        said.append("Automatic versions have tokens and trees of their own, too.")
    elif len(bench.corpora) > 1:
        said.append("The versions differ in coreference alone.")
    return " ".join(said)


def _accuracy_notes(bench: Bench, *, beside: bool) -> tuple[str, ...]:
    on_intersection = (
        "Ours on the intersection are by models that were trained on its documents alone.",
        "The paper evaluates on the intersection, and does not say that it was trained on it.",
    )
    if INTERSECTION + OWN not in bench.corpora:
        return (SOURCE,) if beside else ()
    return (SOURCE, " ".join(on_intersection)) if beside else on_intersection[:1]


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


def shares_table(bench: Bench, *, beside: bool) -> Table:
    """The share of implicit relations whose arguments share an entity, by part."""
    rows: list[tuple[Cell, ...]] = []
    parts_shown = ("train", "test")
    for layers, corpus in bench.corpora.items():
        parts = divide(corpus, bench.configuration)
        row: list[Cell] = [layers, len(corpus.documents)]
        for part in parts_shown:
            implicit = [
                one
                for one in parts.relations[part]
                if one.kind is RelationKind.IMPLICIT and one.arg1.tokens and one.arg2.tokens
            ]
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
    layers = INTERSECTION + OWN if INTERSECTION + OWN in bench.corpora else bench.main
    before, after = _test_answers(bench, results, layers)
    return tuple(turned_relations(bench.corpora[layers], before, after))


COREFERENCE = Experiment("coreference", _plans, _findings)
