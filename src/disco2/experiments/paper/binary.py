"""The paper's table of one-versus-all classifiers for the four classes of level 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from disco2.corpora.tasks import CLASSES
from disco2.evaluation.significance import f1_interval
from disco2.experiments.division import divide
from disco2.experiments.paper.bench import Bench, Experiment, Results, System
from disco2.experiments.paper.measuring import BOOTSTRAP_SEED, measure, stacked
from disco2.experiments.paper.multiclass import FULL
from disco2.experiments.paper.published import BINARY, is_papers_corpus, notes_beside, published
from disco2.experiments.runs.plan import RunPlan
from disco2.experiments.runs.result import Answers
from disco2.reporting.findings import Cell, Findings, Measure, Table

PAPERS_SPLIT = "ji"


def classifier(name: str) -> System:
    """The full model for one class against all others."""
    return System(f"{name} or not", {**FULL.changes, "task.versus": name})


def papers_split(bench: Bench) -> dict[str, Any]:
    """On PDTB 2 the paper has a split of its own for this table."""
    usual = bench.corpus.name == "pdtb2" and not bench.configuration.task.protocol
    return {"task.protocol": PAPERS_SPLIT} if usual else {}


def class_plans(bench: Bench, name: str) -> list[RunPlan]:
    return bench.plans(classifier(name), changes=papers_split(bench))


def _plans(bench: Bench) -> list[RunPlan]:
    return [plan for name in CLASSES for plan in class_plans(bench, name)]


def _findings(bench: Bench, results: Results) -> Findings:
    answers = {name: [results(plan).answers["test"] for plan in class_plans(bench, name)] for name in CLASSES}
    ours: list[Cell] = ["this package"]
    constant: list[Cell] = ["always the commoner answer"]
    for name, seeds in answers.items():
        right = stacked(seeds)
        ours += [f1_measure(seeds, name), measure(right)]
        constant += constant_measures(seeds[0], name, always=is_commoner(bench, name))
    split = replace(bench, configuration=bench.configuration.changed(papers_split(bench)))
    protocol = split.protocol
    beside = is_papers_corpus(split, PAPERS_SPLIT)
    rows: list[tuple[Cell, ...]] = [
        (system, *(published(value, decimals=2) for name in CLASSES for value in figures[name]))
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
    training = divide(bench.corpus, class_plans(bench, name)[0].configuration).instances["train"]
    return 2 * sum(name in one.gold for one in training) > len(training)


def constant_measures(answers: Answers, positive: str, *, always: bool) -> tuple[Measure, Measure]:
    """F1 and accuracy of whoever answers every relation with the class (``always``), or none."""
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


BINARY_EXPERIMENT = Experiment("binary", _plans, _findings)
