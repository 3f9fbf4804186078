"""The paper's table of multiclass results: a ladder of models, each trained with several seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from disco2.data import Corpus
from disco2.experiments.paper.bench import Bench, Experiment, Results, System
from disco2.experiments.paper.measuring import (
    COMPARISON_COLUMNS,
    compare_answers,
    mean_confusion,
    measure,
    stacked,
)
from disco2.experiments.paper.papers_settings import said_differences
from disco2.experiments.paper.published import (
    LIN_2009,
    MULTICLASS,
    is_papers_corpus,
    notes_beside,
    published,
)
from disco2.experiments.runs.plan import RunPlan
from disco2.experiments.runs.result import Answers
from disco2.reporting.findings import Cell, ConfusionMatrix, Findings, Table

LADDER = (
    System("most common class", {"model.kind": "majority", "model.features": False}),
    System("additive word vectors", {"model.kind": "additive", "model.features": False}),
    System("surface features", {"model.kind": "surface", "model.features": True}),
    System("upward", {"model.kind": "upward", "model.features": False}),
    System("upward + entities", {"model.kind": "entities", "model.features": False}),
    System("upward + features", {"model.kind": "upward", "model.features": True}),
    System("upward + entities + features", {"model.kind": "entities", "model.features": True}),
)
BY_NAME = {system.name: system for system in LADDER}
FULL = BY_NAME["upward + entities + features"]
WITHOUT_ENTITIES = BY_NAME["upward + features"]

# What the paper concludes from: each pair is tested on the same relations.
COMPARED = (
    ("upward + entities", "upward"),
    ("upward + entities + features", "upward + features"),
    ("upward + features", "surface features"),
    ("upward + features", "upward"),
)

SeedAnswers = Mapping[str, Sequence[Answers]]  # by system


def _plans(bench: Bench) -> list[RunPlan]:
    return [plan for system in LADDER for plan in bench.plans(system)]


def _findings(bench: Bench, results: Results) -> Findings:
    runs = {system.name: [results(plan) for plan in bench.plans(system)] for system in LADDER}
    test = {name: [run.answers["test"] for run in some] for name, some in runs.items()}
    dev = {name: [run.answers["dev"] for run in some] for name, some in runs.items()}
    table = ladder_table(bench, dev, test)
    labels, counts = mean_confusion(test[FULL.name])
    confusion = ConfusionMatrix(
        f"{FULL.name}, test: gold senses in rows, mean over seeds",
        labels,
        tuple(tuple(row) for row in counts.tolist()),
    )
    return Findings(
        name="multiclass",
        title="Multiclass classification",
        words=(
            f"Accuracy on {bench.corpus.name} under the split '{bench.protocol}', {len(labels)} labels; mean "
            f"and standard deviation over {len(bench.seeds)} seeds, 95% bootstrap interval over relations.",
            *_on_layers(bench.corpus),
            said_differences(bench.plans(FULL)[0].configuration),
        ),
        tables=(table, comparison_table("multiclass-tests", COMPARED, test)),
        confusions=(confusion,),
    )


def _on_layers(corpus: Corpus) -> tuple[str, ...]:
    """Which layers are not the corpus's own."""
    made = ", ".join(corpus.automatic)
    return (f"Not the corpus's own: {made}, by {corpus.annotators}.",) if made else ()


def ladder_table(bench: Bench, dev: SeedAnswers, test: SeedAnswers) -> Table:
    """The paper's eight rows; its own figures beside ours where the corpus is its corpus."""
    beside = is_papers_corpus(bench, "lin")
    columns = ["model", "entities", "features", "K", "dev", "test", "test, shared entities"]
    rows: list[tuple[Cell, ...]] = []
    for name in MULTICLASS:
        row: list[Cell] = [name]
        if name == LIN_2009:
            row += ["no", "yes", None, None, None, None]
        else:
            settings = bench.plans(BY_NAME[name])[0].configuration.model
            right = stacked(test[name])
            row += [
                "yes" if settings.kind == "entities" else "no",
                "yes" if settings.uses_features else "no",
                settings.K if settings.uses_vectors else None,
                measure(stacked(dev[name])),
                measure(right),
                measure(right[:, test[name][0].shared]),
            ]
        rows.append((*row, published(MULTICLASS[name])) if beside else tuple(row))
    return Table(
        name="multiclass",
        title=f"Accuracy, {len(test[FULL.name][0].labels)} labels",
        columns=(*columns, "published") if beside else tuple(columns),
        rows=tuple(rows),
        notes=notes_beside(bench)
        if beside
        else (f"{LIN_2009} is a published system, with figures for PDTB 2 alone.",),
    )


def comparison_table(name: str, pairs: Sequence[tuple[str, str]], answers: SeedAnswers) -> Table:
    """Each pair of systems on all relations, and on those whose arguments share an entity."""
    rows: list[tuple[Cell, ...]] = []
    for first, second in pairs:
        shared = answers[first][0].shared
        for subset, chosen in (("all", slice(None)), ("shared entities", shared)):
            if found := compare_answers(answers[first], answers[second], chosen=chosen):
                rows.append((f"{first} − {second}", subset, *found.cells()))  # noqa: RUF001  a minus sign
    return Table(
        name=name,
        title="Differences between systems on the same relations",
        columns=("first − second", "subset", *COMPARISON_COLUMNS),  # noqa: RUF001
        rows=tuple(rows),
        notes=(
            "Points of accuracy, mean over seeds; intervals by a paired bootstrap over relations. "
            "Better : worse counts the relations that more seeds of the first (second) system get right; the "
            "sign test is on these counts, McNemar's exact test on relations right with most seeds.",
        ),
    )


MULTICLASS_EXPERIMENT = Experiment("multiclass", _plans, _findings)
