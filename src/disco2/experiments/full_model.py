"""Experiments on the full model: number of dimensions, initialisation, one class against the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from disco2.corpora.tasks import CLASSES
from disco2.evaluation.significance import f1_interval
from disco2.experiments.bench import (
    BOOTSTRAP_SEED,
    Bench,
    Experiment,
    GroupResults,
    System,
    accuracy,
    answers_of,
)
from disco2.experiments.division import divide
from disco2.experiments.evaluating import Answers
from disco2.experiments.multiclass import FULL, comparison_table
from disco2.experiments.published import (
    BINARY,
    DIMENSION_RANGE,
    SOURCE,
    is_papers_corpus,
    notes_beside,
    published,
)
from disco2.experiments.runs import RunResult
from disco2.model.settings import INITIALISATIONS
from disco2.reporting.figures import check_plots
from disco2.reporting.findings import Cell, Findings, LineFigure, Measure, Series, Table

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
