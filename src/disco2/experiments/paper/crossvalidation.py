"""The headline comparison on every relation of the corpus: five folds over documents.

One test part of a few hundred relations has an interval of about four points. In cross-validation every
relation is answered once by a model that saw neither it nor its document, so that intervals are narrower.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from disco2.corpora.protocols import split_relations
from disco2.data import Corpus
from disco2.errors import InputError
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.paper.bench import Bench, Experiment, Results, System
from disco2.experiments.paper.measuring import measure, stacked
from disco2.experiments.paper.multiclass import BY_NAME, COMPARED, comparison_table
from disco2.experiments.runs.plan import RunPlan
from disco2.experiments.runs.result import Answers
from disco2.reporting.findings import Cell, Findings, Table

FOLDS = 5
PROTOCOLS = tuple(f"cv{FOLDS}-{fold}" for fold in range(FOLDS))
SYSTEMS = tuple(
    BY_NAME[name]
    for name in (
        "surface features",
        "upward",
        "upward + entities",
        "upward + features",
        "upward + entities + features",
    )
)


def fold_plans(bench: Bench, system: System, *, seeds: Sequence[int] = ()) -> dict[int, list[RunPlan]]:
    """By seed, a run for each fold."""
    labels = fold_labels(bench.corpus, bench.configuration)
    by_fold = [
        bench.plans(system, seeds=seeds, changes={"task.protocol": protocol, "task.labels": labels})
        for protocol in PROTOCOLS
    ]
    return {plans[0].seed: list(plans) for plans in zip(*by_fold, strict=True)}


def fold_labels(corpus: Corpus, configuration: Configuration) -> tuple[str, ...]:
    """The labels of the usual split that every fold can learn: so all folds are one task."""
    usual = divide(corpus, configuration)
    learned = [
        {
            label
            for relation in split_relations(corpus, protocol, seed=configuration.task.folds)["train"]
            for label in usual.task.labels_of(relation)
        }
        for protocol in PROTOCOLS
    ]
    return tuple(label for label in usual.labels if all(label in some for some in learned))


def over_folds(results: Results, plans: Mapping[int, Sequence[RunPlan]]) -> list[Answers]:
    """For each seed, the answers of all folds' test parts as one."""
    return [joined([results(plan).answers["test"] for plan in folds]) for folds in plans.values()]


def joined(folds: Sequence[Answers]) -> Answers:
    """The answers of several models that know the same labels, one behind the other."""
    if any(fold.labels != folds[0].labels for fold in folds):
        raise InputError("Folds whose models know different labels can't be put together.")
    return Answers(
        relations=tuple(relation for fold in folds for relation in fold.relations),
        documents=tuple(document for fold in folds for document in fold.documents),
        gold=tuple(gold for fold in folds for gold in fold.gold),
        shared=np.concatenate([fold.shared for fold in folds]),
        labels=folds[0].labels,
        scores=np.concatenate([fold.scores for fold in folds]),
    )


def measures_table(name: str, title: str, answers: Mapping[str, Sequence[Answers]]) -> Table:
    """Accuracy of each system on all relations, and on those that share an entity or don't."""
    rows: list[tuple[Cell, ...]] = []
    for system, seeds in answers.items():
        right, shared = stacked(seeds), seeds[0].shared
        rows.append((system, measure(right), measure(right[:, shared]), measure(right[:, ~shared])))
    return Table(name, title, ("model", "all", "shared entities", "others"), tuple(rows))


def _plans(bench: Bench) -> list[RunPlan]:
    return [plan for system in SYSTEMS for folds in fold_plans(bench, system).values() for plan in folds]


def _findings(bench: Bench, results: Results) -> Findings:
    answers = {system.name: over_folds(results, fold_plans(bench, system)) for system in SYSTEMS}
    relations = len(answers[SYSTEMS[0].name][0].relations)
    return Findings(
        name="crossvalidation",
        title="With and without entities, with and without features",
        words=(
            f"{FOLDS} folds over the documents of {bench.corpus.name}: each of its {relations} relations is "
            "answered by a model that saw neither it nor its document; the next fold said when to stop. "
            f"{len(bench.seeds)} seeds.",
            _on_settings(bench),
        ),
        tables=(
            measures_table("crossvalidation", "Cross-validated accuracy", answers),
            comparison_table("crossvalidation-tests", COMPARED, answers),
        ),
    )


def _on_settings(bench: Bench) -> str:
    """On what the settings may have been chosen; the defaults were on GUM's dev part."""
    chosen = bench.tuned or bench.corpus.name == "gum"
    return (
        "All folds have the same settings. "
        + ("They were" if chosen else "If they were")
        + f" chosen on development relations of {bench.corpus.name}"
        + ("; these are" if chosen else ", these are")
        + " test relations of some fold, so that accuracies may be a little too high."
    )


CROSSVALIDATION = Experiment("crossvalidation", _plans, _findings)
