"""The paper's tables and figures, except those of coreference and word vectors; steps beyond the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from disco2.corpora.protocols import split_relations
from disco2.corpora.tasks import CLASSES
from disco2.data import Corpus
from disco2.errors import InputError
from disco2.evaluation.significance import f1_interval
from disco2.experiments.bench import (
    BINARY,
    BOOTSTRAP_SEED,
    COMPARISON_COLUMNS,
    DIMENSION_RANGE,
    LIN_2009,
    MULTICLASS,
    SOURCE,
    Bench,
    Experiment,
    GroupResults,
    Groups,
    System,
    accuracy,
    answers_of,
    compare_answers,
    is_papers_corpus,
    notes_beside,
    published,
)
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.evaluating import Answers
from disco2.experiments.runs import RunPlan, RunResult
from disco2.model.parameters import INITIALISATIONS
from disco2.reporting.figures import check_plots
from disco2.reporting.findings import Cell, Findings, LineFigure, Measure, Series, Table

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


def _ladder_findings(bench: Bench, runs: GroupResults) -> Findings:
    test = {name: answers_of(some) for name, some in runs.items()}
    corpus, labels = bench.corpus, runs[FULL.name][0].labels
    made = ", ".join(corpus.automatic)
    return Findings(
        name="multiclass",
        title="Multiclass classification",
        words=(
            f"Accuracy on {corpus.name} under the split '{bench.protocol}', {len(labels)} labels; mean "
            f"and standard deviation over {len(bench.seeds)} seeds, 95% bootstrap interval over relations.",
            *((f"Not the corpus's own: {made}, by {corpus.annotators}.",) if made else ()),
        ),
        tables=(_ladder_table(bench, runs), comparison_table("multiclass-tests", COMPARED, test)),
    )


def _ladder_table(bench: Bench, runs: GroupResults) -> Table:
    """The paper's eight rows; its own figures beside ours where the corpus is its corpus."""
    rows: list[tuple[Cell, ...]] = []
    for name in MULTICLASS:
        if name == LIN_2009:
            rows.append((name, "no", "yes", None, None, None, None))
            continue
        settings, test = bench.plans(BY_NAME[name])[0].configuration.model, answers_of(runs[name])
        rows.append(
            (
                name,
                "yes" if settings.kind == "entities" else "no",
                "yes" if settings.uses_features else "no",
                settings.K if settings.uses_vectors else None,
                accuracy(answers_of(runs[name], "dev")),
                accuracy(test),
                accuracy(test, test[0].shared),
            )
        )
    columns: tuple[str, ...] = ("model", "entities", "features", "K", "dev", "test", "test, shared entities")
    notes: tuple[str, ...] = (f"{LIN_2009} is a published system, with figures for PDTB 2 alone.",)
    if is_papers_corpus(bench, "lin"):
        rows = [(*row, published(MULTICLASS[str(row[0])])) for row in rows]
        columns, notes = (*columns, "published"), notes_beside(bench)
    labels = runs[FULL.name][0].labels
    return Table("multiclass", f"Accuracy, {len(labels)} labels", columns, tuple(rows), notes)


def comparison_table(name: str, pairs: Sequence[tuple[str, str]], answers: SeedAnswers) -> Table:
    """Each pair of systems on all relations, and on those whose arguments share an entity."""
    rows: list[tuple[Cell, ...]] = []
    for first, second in pairs:
        shared = answers[first][0].shared
        for subset, chosen in (("all", slice(None)), ("shared entities", shared)):
            if found := compare_answers(answers[first], answers[second], chosen):
                rows.append((f"{first} − {second}", subset, *found))  # noqa: RUF001  a minus sign
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


MULTICLASS_EXPERIMENT = Experiment(
    "multiclass",
    lambda bench: {system.name: bench.plans(system) for system in LADDER},
    _ladder_findings,
)


FOLDS = 5
PROTOCOLS = tuple(f"cv{FOLDS}-{fold}" for fold in range(FOLDS))
FOLD_SYSTEMS = tuple(one for one in LADDER if one.changes["model.kind"] not in ("majority", "additive"))


def fold_plans(bench: Bench, system: System, *, seeds: Sequence[int] = ()) -> dict[int, list[RunPlan]]:
    """By seed, a run for each fold."""
    labels = fold_labels(bench.corpus, bench.configuration)
    by_fold = [
        bench.plans(system, seeds=seeds, changes={"task.protocol": protocol, "task.labels": labels})
        for protocol in PROTOCOLS
    ]
    return {plans[0].seed: list(plans) for plans in zip(*by_fold, strict=True)}


def _fold_groups(bench: Bench, systems: Iterable[System], *, seeds: Sequence[int] = ()) -> Groups:
    """By system and seed."""
    return {
        (system.name, seed): plans
        for system in systems
        for seed, plans in fold_plans(bench, system, seeds=seeds).items()
    }


def _over_folds(runs: GroupResults, system: System) -> list[Answers]:
    """For each seed, the answers of all folds' test parts as one."""
    found = (some for key, some in runs.items() if isinstance(key, tuple) and key[0] == system.name)
    return [joined(answers_of(folds)) for folds in found]


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
    rows = []
    for system, seeds in answers.items():
        shared = seeds[0].shared
        rows.append((system, accuracy(seeds), accuracy(seeds, shared), accuracy(seeds, ~shared)))
    return Table(name, title, ("model", "all", "shared entities", "others"), tuple(rows))


def _fold_findings(bench: Bench, runs: GroupResults) -> Findings:
    answers = {system.name: _over_folds(runs, system) for system in FOLD_SYSTEMS}
    relations = len(answers[FOLD_SYSTEMS[0].name][0].relations)
    return Findings(
        name="crossvalidation",
        title="With and without entities, with and without features",
        words=(
            f"{FOLDS} folds over the documents of {bench.corpus.name}: each of its {relations} relations is "
            "answered by a model that saw neither it nor its document; the next fold said when to stop. "
            f"{len(bench.seeds)} seeds.",
            "All folds have the same settings. If these were chosen on development relations of the corpus, "
            "which are test relations of some fold, accuracies may be a little too high.",
        ),
        tables=(
            measures_table("crossvalidation", "Cross-validated accuracy", answers),
            comparison_table("crossvalidation-tests", COMPARED, answers),
        ),
    )


CROSSVALIDATION = Experiment(
    "crossvalidation", lambda bench: _fold_groups(bench, FOLD_SYSTEMS), _fold_findings
)


DIMENSIONS = (20, 30, 40, 50, 60)


def _dimension_findings(bench: Bench, runs: GroupResults) -> Findings:
    figures = {
        part: [(K, accuracy(answers_of(some, part))) for K, some in runs.items()] for part in ("dev", "test")
    }
    series = [
        Series(part, tuple((float(K), found) for K, found in points if found))
        for part, points in figures.items()
        if any(found for _, found in points)
    ]
    words = [f"{FULL.name}, {len(bench.seeds)} seeds; bars are 95% intervals over relations."]
    if is_papers_corpus(bench, "lin"):
        low, high = DIMENSION_RANGE
        words.append(f"The paper's accuracies lie between {low} and {high}. {SOURCE}")
    title, labels = "Accuracy over dimensions", ("dimensions K", "accuracy (%)")
    return Findings(
        name="dimension",
        title="How many dimensions",
        words=tuple(words),
        tables=(
            Table(
                name="dimension",
                title="Accuracy of the full model over the number of dimensions",
                columns=("K", *figures),
                rows=tuple(
                    (str(K), dev, test) for (K, dev), (_, test) in zip(*figures.values(), strict=True)
                ),
            ),
        ),
        figures=(LineFigure("dimension", title, *labels, tuple(series)),),
    )


DIMENSION = Experiment(
    "dimension",
    lambda bench: {K: bench.plans(FULL, changes={"model.K": K}) for K in DIMENSIONS},
    _dimension_findings,
    check_plots,
)


FACTORS = ("A1", "A2", "B1", "B2")
DIAGONALS = ("A3", "B3")


def _initialisation_findings(bench: Bench, runs: GroupResults) -> Findings:
    rows = tuple(
        (
            start,
            *(accuracy(answers_of(some, part)) for part in ("dev", "test")),
            _norm(some, FACTORS),
            _norm(some, DIAGONALS),
        )
        for start, some in runs.items()
    )
    table = Table(
        name="initialisation",
        title="Start of the low-rank factors",
        columns=("factors start", "dev", "test", "norm of the factors", "norm of the diagonals"),
        rows=rows,
        notes=("Norms are Frobenius norms after training, over A and B of all labels, mean over seeds.",),
    )
    test = {start: answers_of(some) for start, some in runs.items()}
    return Findings(
        name="initialisation",
        title="Zero initialisation",
        words=(
            "Factors that start at zero have a zero gradient and stay there: what is learned is the diagonal "
            f"alone. {FULL.name}, {len(bench.seeds)} seeds.",
        ),
        tables=(table, comparison_table("initialisation-tests", (("random", "zero"),), test)),
    )


def _norm(runs: list[RunResult], names: tuple[str, ...]) -> str:
    """The norm of some parameters together, mean over seeds."""
    norms = [np.linalg.norm([run.notes["norms"].get(name, 0.0) for name in names]) for run in runs]
    return f"{np.mean(norms):.3f}"


INITIALISATION = Experiment(
    "initialisation",
    lambda bench: {
        start: bench.plans(FULL, changes={"model.initialisation": start}) for start in INITIALISATIONS
    },
    _initialisation_findings,
)


PAPERS_SPLIT = "ji"


def papers_split(bench: Bench) -> dict[str, Any]:
    """On PDTB 2 the paper has a split of its own for this table."""
    usual = bench.corpus.name == "pdtb2" and not bench.configuration.task.protocol
    return {"task.protocol": PAPERS_SPLIT} if usual else {}


def classifier(bench: Bench, name: str) -> System:
    """The full model for one class against all others."""
    return System(f"{name} or not", {**FULL.changes, "task.versus": name, **papers_split(bench)})


def _binary_findings(bench: Bench, runs: GroupResults) -> Findings:
    ours: list[Cell] = ["this package"]
    constant: list[Cell] = ["always the commoner answer"]
    for name, some in runs.items():
        seeds = answers_of(some)
        ours += [f1_measure(seeds, name), accuracy(seeds)]
        constant += constant_measures(seeds[0], name, always=is_commoner(bench, name))
    split = replace(bench, configuration=bench.configuration.changed(papers_split(bench)))
    protocol = split.protocol
    beside = is_papers_corpus(split, PAPERS_SPLIT)
    rows: list[tuple[Cell, ...]] = [
        (system, *(published(value, decimals=2) for pair in figures for value in pair))
        for system, figures in (BINARY if beside else {}).items()
    ]
    rows += [tuple(constant), tuple(ours)]
    return Findings(
        name="binary",
        title="One class against all others",
        words=(
            f"{FULL.name} under the split '{protocol}', EntRel counted as Expansion, the training part "
            f"balanced by resampling, the pass with the best development F1; {len(bench.seeds)} seeds. "
            "The commoner answer is the training part's.",
        ),
        tables=(
            Table(
                name="binary",
                title="F1 and accuracy for each class of level 1",
                columns=("system", *(f"{name} {kind}" for name in CLASSES for kind in ("F1", "accuracy"))),
                rows=tuple(rows),
                notes=notes_beside(bench) if beside else (),
            ),
        ),
    )


def is_commoner(bench: Bench, name: str) -> bool:
    """Whether more than half of the training relations, before any balancing, are of the class."""
    configuration = bench.plans(classifier(bench, name))[0].configuration
    training = divide(bench.corpus, configuration).instances["train"]
    return 2 * sum(name in one.gold for one in training) > len(training)


def constant_measures(answers: Answers, positive: str, *, always: bool) -> tuple[Measure, Measure]:
    """F1 and accuracy of a constant answer: the class for every relation (``always``), or for none."""
    share = float(np.mean([positive in gold for gold in answers.gold]))
    n = len(answers.gold)
    if always:
        return Measure(2 * share / (1 + share), n=n), Measure(share, n=n)
    return Measure(0.0, n=n), Measure(1 - share, n=n)


def f1_measure(seeds: Sequence[Answers], positive: str) -> Measure:
    """F1 of a class, mean over seeds, with a bootstrap interval over relations."""
    gold = np.array([positive in labels for labels in seeds[0].gold])
    found = np.array([[label == positive for label in one.predicted] for one in seeds])
    both = (found & gold).sum(axis=1)
    by_seed = 2 * both / np.maximum(found.sum(axis=1) + gold.sum(), 1)
    return Measure(
        mean=float(by_seed.mean()),
        deviation=float(by_seed.std(ddof=1)) if len(by_seed) > 1 else None,
        interval=f1_interval(gold, found, seed=BOOTSTRAP_SEED),
        n=len(gold),
    )


BINARY_EXPERIMENT = Experiment(
    "binary",
    lambda bench: {name: bench.plans(classifier(bench, name)) for name in CLASSES},
    _binary_findings,
)


LOGISTIC = {
    "training.loss": "logistic",
    "training.rate_upward": 0.01,
    "training.rate_classification": 0.01,
    "training.rate_features": 0.005,
    "training.dropout": 0.3,
    "training.epochs": 40,
}
CLAUSES = {
    "features.word_pairs": 0,
    "features.dependency_rules": 0,
    "features.production_rules": 100,
    "features.predicates": 150,
    "features.attachment": 100,
    "features.openings": 150,
    "features.layout": True,
    "features.overlap": True,
}
ENSEMBLE = {"model.members": 5, "model.surface_members": 2}

# Each adds one thing to the one before it. The first has the settings as given, even where FULL was tuned: a
# step from a tuned model to one that is not would measure the tuning.
STEPS = (
    System("the paper's model, settings as given", FULL.changes),
    System("+ logistic loss, dropout", {**FULL.changes, **LOGISTIC}),
    System("+ features of clauses", {**FULL.changes, **LOGISTIC, **CLAUSES}),
    System("+ several models in one", {**FULL.changes, **LOGISTIC, **CLAUSES, **ENSEMBLE}),
)
# What the new features do without any composition.
FEATURES_ALONE = System(
    "features of clauses alone",
    {**LOGISTIC, **CLAUSES, "model.kind": "surface", "model.features": True, "training.rate_features": 0.01},
)
BEST = STEPS[-1]
STEPS_COMPARED = (
    *((later.name, earlier.name) for earlier, later in pairwise(STEPS)),
    (BEST.name, STEPS[0].name),
    (BEST.name, FEATURES_ALONE.name),
)
FOLDED = (STEPS[0], FEATURES_ALONE, STEPS[-2], BEST)
FOLDS_COMPARED = STEPS_COMPARED[-2:]
FOLD_SEEDS = 1  # an ensemble is several seeds already


def _step_groups(bench: Bench) -> Groups:
    usual: Groups = {system.name: bench.plans(system) for system in (*STEPS, FEATURES_ALONE)}
    return usual | _fold_groups(bench, FOLDED, seeds=bench.seeds[:FOLD_SEEDS])


def _step_findings(bench: Bench, runs: GroupResults) -> Findings:
    usual = {system.name: runs[system.name] for system in (*STEPS, FEATURES_ALONE)}
    test = {name: answers_of(some) for name, some in usual.items()}
    folded = {system.name: _over_folds(runs, system) for system in FOLDED}
    return Findings(
        name="beyond",
        title="Beyond the paper",
        words=(
            "Not the paper's model: the steps from it to the best one we know, each with all that stands "
            "above it. They start from the settings as given, not from tuned ones, so that a step differs "
            f"from the one before in nothing else. {len(bench.seeds)} seeds; an ensemble's seeds share no "
            "member.",
        ),
        tables=(
            Table(
                name="beyond",
                title="Accuracy, step by step",
                columns=("model", "dev", "test", "test, shared entities", "seconds of training"),
                rows=tuple((name, *_step_row(some)) for name, some in usual.items()),
                notes=("Seconds are the mean over runs, for orientation: the machine may have been busy.",),
            ),
            comparison_table("beyond-tests", STEPS_COMPARED, test),
            measures_table("beyond-folds", "Cross-validated accuracy, one seed", folded),
            comparison_table("beyond-folds-tests", FOLDS_COMPARED, folded),
        ),
    )


def _step_row(runs: list[RunResult]) -> list[Cell]:
    test = answers_of(runs)
    seconds = sum(run.notes["seconds"] for run in runs) / len(runs)
    measures = accuracy(answers_of(runs, "dev")), accuracy(test), accuracy(test, test[0].shared)
    return [*measures, f"{seconds:.1f}"]


BEYOND = Experiment("beyond", _step_groups, _step_findings)
