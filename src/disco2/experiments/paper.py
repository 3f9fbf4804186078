"""The paper's tables and figures, except those of coreference and word vectors; steps beyond the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np

from disco2.corpora.catalogue import split_relations
from disco2.corpora.tasks import CLASSES
from disco2.data import Corpus
from disco2.evaluation.significance import f1_interval
from disco2.experiments.bench import (
    BOOTSTRAP_SEED,
    COMPARISON_COLUMNS,
    PAPER,
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
    over_seeds,
    published,
)
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.evaluating import Answers
from disco2.experiments.runs import RunResult
from disco2.model.parameters import INITIALISATIONS
from disco2.reporting.figures import check_plots
from disco2.reporting.findings import Cell, Findings, LineFigure, Measure, Row, Series, Table


def _system(name: str, kind: str, *, features: bool) -> System:
    return System(name, {"model.kind": kind, "model.features": features})


LADDER = (
    _system("most common class", "majority", features=False),
    _system("additive word vectors", "additive", features=False),
    _system("surface features", "surface", features=True),
    _system("upward", "upward", features=False),
    _system("upward + entities", "entities", features=False),
    _system("upward + features", "upward", features=True),
    _system("upward + entities + features", "entities", features=True),
)
BY_NAME = {system.name: system for system in LADDER}
*_, WITHOUT_ENTITIES, FULL = LADDER
LIN_2009 = "Lin et al. (2009)"

# What the paper concludes from: each pair is tested on the same relations.
COMPARED = (
    ("upward + entities", "upward"),
    (FULL.name, WITHOUT_ENTITIES.name),
    (WITHOUT_ENTITIES.name, "surface features"),
    (WITHOUT_ENTITIES.name, "upward"),
)

SeedAnswers = Mapping[str, Sequence[Answers]]  # by system


def _measures(runs: Iterable[RunResult]) -> Row:
    """Accuracy on dev, on test, and on those test relations that share an entity."""
    found = list(runs)
    test = answers_of(found)
    return accuracy(answers_of(found, "dev")), accuracy(test), accuracy(test, test[0].shared)


def _ladder_findings(bench: Bench, runs: GroupResults) -> Findings:
    """The paper's eight rows; its own figures beside ours where the corpus is its corpus."""
    corpus, labels = bench.corpus, runs[FULL.name][0].labels
    rows: list[Row] = [(LIN_2009, "no", "yes", None, None, None, None)]
    for name, some in runs.items():
        model = bench.plans(BY_NAME[name])[0].configuration.model
        entities, features = (
            "yes" if has else "no" for has in (model.kind == "entities", model.uses_features)
        )
        rows.append((name, entities, features, model.K if model.uses_vectors else None, *_measures(some)))
    theirs = PAPER["multiclass"]
    rows.sort(key=lambda row: list(theirs).index(row[0]))
    columns: tuple[str, ...] = ("model", "entities", "features", "K", "dev", "test", "test, shared entities")
    notes: tuple[str, ...] = (f"{LIN_2009} is a published system, with figures for PDTB 2 alone.",)
    if is_papers_corpus(bench, "lin"):
        rows = [(*row, published(theirs[row[0]])) for row in rows]
        columns, notes = (*columns, "published"), (SOURCE,)
    made = ", ".join(corpus.automatic)
    return Findings(
        name="multiclass",
        title="Multiclass classification",
        words=(
            f"Accuracy on {corpus.name} under the split '{bench.protocol}', {len(labels)} labels; mean "
            f"and standard deviation over {len(bench.seeds)} seeds, 95% bootstrap interval over relations.",
            *((f"Not the corpus's own: {made}, by {corpus.annotators}.",) if made else ()),
        ),
        tables=(
            Table("multiclass", f"Accuracy, {len(labels)} labels", columns, tuple(rows), notes),
            comparison_table("multiclass-tests", COMPARED, _test_answers(runs)),
        ),
    )


def _test_answers(runs: GroupResults) -> SeedAnswers:
    return {name: answers_of(some) for name, some in runs.items()}


def comparison_table(name: str, pairs: Sequence[tuple[str, str]], answers: SeedAnswers) -> Table:
    """Each pair of systems on all relations, and on those whose arguments share an entity."""
    rows = (
        compare_answers(f"{first} − {second}", answers[first], answers[second])  # noqa: RUF001  a minus sign
        for first, second in pairs
    )
    return Table(
        name=name,
        title="Differences between systems on the same relations",
        columns=("first − second", *COMPARISON_COLUMNS),  # noqa: RUF001
        rows=tuple(chain(*rows)),
        notes=(
            "Points of accuracy, mean over seeds; intervals by a paired bootstrap over relations. "
            "Better : worse counts the relations that more seeds of the first (second) system get right; the "
            "sign test is on these counts, McNemar's exact test on relations right with most seeds.",
        ),
    )


MULTICLASS_EXPERIMENT = Experiment(
    "multiclass", lambda bench: {system.name: bench.plans(system) for system in LADDER}, _ladder_findings
)

FOLDS = 5
PROTOCOLS = tuple(f"cv{FOLDS}-{fold}" for fold in range(FOLDS))
FOLD_SYSTEMS = tuple(one for one in LADDER if one.changes["model.kind"] not in ("majority", "additive"))


def fold_groups(bench: Bench, systems: Iterable[System], *, seeds: Sequence[int] = ()) -> Groups:
    """By system and seed, a run for each fold."""
    labels = fold_labels(bench.corpus, bench.configuration)
    groups: Groups = {}
    for system in systems:
        for protocol in PROTOCOLS:
            changes = {"task.protocol": protocol, "task.labels": labels}
            for plan in bench.plans(system, seeds=seeds, changes=changes):
                groups.setdefault((system.name, plan.seed), []).append(plan)
    return groups


def _over_folds(runs: GroupResults, systems: Iterable[System]) -> SeedAnswers:
    """For each system and seed, the answers of all folds' test parts as one."""
    folded = {key: joined(answers_of(folds)) for key, folds in runs.items() if isinstance(key, tuple)}
    return {
        system.name: [one for (name, _), one in folded.items() if name == system.name] for system in systems
    }


def fold_labels(corpus: Corpus, configuration: Configuration) -> tuple[str, ...]:
    """The labels of the usual split that every fold can learn: so all folds are one task."""
    usual = divide(corpus, configuration)
    labels = set(usual.labels)
    for protocol in PROTOCOLS:
        training = split_relations(corpus, protocol, seed=configuration.task.folds)["train"]
        labels.intersection_update(label for one in training for label in usual.task.labels_of(one))
    return tuple(label for label in usual.labels if label in labels)


def joined(folds: Sequence[Answers]) -> Answers:
    """The answers of several models that know the same labels, one behind the other."""
    return Answers(
        relations=tuple(chain(*(fold.relations for fold in folds))),
        documents=tuple(chain(*(fold.documents for fold in folds))),
        gold=tuple(chain(*(fold.gold for fold in folds))),
        shared=np.concatenate([fold.shared for fold in folds]),
        labels=folds[0].labels,
        scores=np.concatenate([fold.scores for fold in folds]),
    )


def measures_table(name: str, title: str, answers: SeedAnswers) -> Table:
    """Accuracy of each system on all relations, and on those that share an entity or don't."""
    rows = []
    for system, seeds in answers.items():
        shared = seeds[0].shared
        rows.append((system, accuracy(seeds), accuracy(seeds, shared), accuracy(seeds, ~shared)))
    return Table(name, title, ("model", "all", "shared entities", "others"), tuple(rows))


def _fold_findings(bench: Bench, runs: GroupResults) -> Findings:
    answers = _over_folds(runs, FOLD_SYSTEMS)
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
    "crossvalidation", lambda bench: fold_groups(bench, FOLD_SYSTEMS), _fold_findings
)

DIMENSIONS = (20, 30, 40, 50, 60)


def _dimension_findings(bench: Bench, runs: GroupResults) -> Findings:
    rows = {K: [accuracy(answers_of(some, part)) for part in ("dev", "test")] for K, some in runs.items()}
    points = {
        part: tuple((float(K), found) for K, one in rows.items() if (found := one[place]))
        for place, part in enumerate(("dev", "test"))
    }
    words = [f"{FULL.name}, {len(bench.seeds)} seeds; bars are 95% intervals over relations."]
    if is_papers_corpus(bench, "lin"):
        low, high = PAPER["dimension"]["range"]
        words.append(f"The paper's accuracies lie between {low} and {high}. {SOURCE}")
    title, axes = "Accuracy over dimensions", ("dimensions K", "accuracy (%)")
    series = tuple(Series(part, some) for part, some in points.items() if some)
    return Findings(
        name="dimension",
        title="How many dimensions",
        words=tuple(words),
        tables=(
            Table(
                "dimension",
                "Accuracy of the full model over the number of dimensions",
                ("K", "dev", "test"),
                tuple((str(K), *one) for K, one in rows.items()),
            ),
        ),
        figures=(LineFigure("dimension", title, *axes, series),),
    )


DIMENSION = Experiment(
    "dimension",
    lambda bench: {K: bench.plans(FULL, changes={"model.K": K}) for K in DIMENSIONS},
    _dimension_findings,
    check_plots,
)

NORMS = {"norm of the factors": ("A1", "A2", "B1", "B2"), "norm of the diagonals": ("A3", "B3")}


def _initialisation_findings(bench: Bench, runs: GroupResults) -> Findings:
    rows = ((start, *_measures(some)[:2], *map(partial(_norm, some), NORMS)) for start, some in runs.items())
    table = Table(
        "initialisation",
        "Start of the low-rank factors",
        ("factors start", "dev", "test", *NORMS),
        tuple(rows),
        ("Norms are Frobenius norms after training, over A and B of all labels, mean over seeds.",),
    )
    return Findings(
        name="initialisation",
        title="Zero initialisation",
        words=(
            "Factors that start at zero have a zero gradient and stay there: what is learned is the diagonal "
            f"alone. {FULL.name}, {len(bench.seeds)} seeds.",
        ),
        tables=(table, comparison_table("initialisation-tests", (("random", "zero"),), _test_answers(runs))),
    )


def _norm(runs: list[RunResult], column: str) -> str:
    """The norm of some parameters together, mean over seeds."""
    norms = [np.linalg.norm([run.notes["norms"].get(name, 0.0) for name in NORMS[column]]) for run in runs]
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
    beside = is_papers_corpus(split, PAPERS_SPLIT)
    rows = [
        (system, *(published(value, decimals=2) for value in figures))
        for system, figures in (PAPER["binary"] if beside else {}).items()
    ]
    return Findings(
        name="binary",
        title="One class against all others",
        words=(
            f"{FULL.name} under the split '{split.protocol}', EntRel counted as Expansion, the training part "
            f"balanced by resampling, the pass with the best development F1; {len(bench.seeds)} seeds. "
            "The commoner answer is the training part's.",
        ),
        tables=(
            Table(
                name="binary",
                title="F1 and accuracy for each class of level 1",
                columns=("system", *(f"{name} {kind}" for name in CLASSES for kind in ("F1", "accuracy"))),
                rows=(*rows, tuple(constant), tuple(ours)),
                notes=(SOURCE,) if beside else (),
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
    share, n = float(np.mean([positive in gold for gold in answers.gold])), len(answers.gold)
    f1, right = (2 * share / (1 + share), share) if always else (0.0, 1 - share)
    return Measure(f1, n=n), Measure(right, n=n)


def f1_measure(seeds: Sequence[Answers], positive: str) -> Measure:
    """F1 of a class, mean over seeds, with a bootstrap interval over relations."""
    gold = np.array([positive in labels for labels in seeds[0].gold])
    found = np.array([[label == positive for label in one.predicted] for one in seeds])
    by_seed = 2 * (found & gold).sum(axis=1) / np.maximum(found.sum(axis=1) + gold.sum(), 1)
    return over_seeds(by_seed, f1_interval(gold, found, seed=BOOTSTRAP_SEED), len(gold))


BINARY_EXPERIMENT = Experiment(
    "binary", lambda bench: {name: bench.plans(classifier(bench, name)) for name in CLASSES}, _binary_findings
)

LOGISTIC, CLAUSES, ENSEMBLE = (PAPER["beyond"][name] for name in ("logistic", "clauses", "ensemble"))

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
    return usual | fold_groups(bench, FOLDED, seeds=bench.seeds[:FOLD_SEEDS])


def _step_findings(bench: Bench, runs: GroupResults) -> Findings:
    usual = {system.name: runs[system.name] for system in (*STEPS, FEATURES_ALONE)}
    seconds = {name: sum(run.notes["seconds"] for run in some) / len(some) for name, some in usual.items()}
    folded = _over_folds(runs, FOLDED)
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
                "beyond",
                "Accuracy, step by step",
                ("model", "dev", "test", "test, shared entities", "seconds of training"),
                tuple((name, *_measures(some), f"{seconds[name]:.1f}") for name, some in usual.items()),
                ("Seconds are the mean over runs, for orientation: the machine may have been busy.",),
            ),
            comparison_table("beyond-tests", STEPS_COMPARED, _test_answers(usual)),
            measures_table("beyond-folds", "Cross-validated accuracy, one seed", folded),
            comparison_table("beyond-folds-tests", FOLDS_COMPARED, folded),
        ),
    )


BEYOND = Experiment("beyond", _step_groups, _step_findings)
