"""All of the paper's tables and figures on one corpus: settings tuned, models trained, one page written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from disco2.corpora.task import CLASSES
from disco2.experiments.configuration import commented_toml
from disco2.experiments.paper.bench import Bench, Experiment, System
from disco2.experiments.paper.beyond import BEYOND
from disco2.experiments.paper.binary import BINARY_EXPERIMENT, classifier, papers_split
from disco2.experiments.paper.coreference import COREFERENCE
from disco2.experiments.paper.crossvalidation import CROSSVALIDATION
from disco2.experiments.paper.dimension import DIMENSION
from disco2.experiments.paper.embeddings import EMBEDDINGS
from disco2.experiments.paper.initialisation import INITIALISATION
from disco2.experiments.paper.multiclass import LADDER, MULTICLASS_EXPERIMENT
from disco2.experiments.runs.versions import versions
from disco2.experiments.tuning.space import choose_space
from disco2.experiments.tuning.standing import Report
from disco2.experiments.tuning.tune import Tuned, tune
from disco2.reporting.findings import Cell, Findings, Measure, Table
from disco2.reporting.writing import write_page

ALL: tuple[Experiment, ...] = (
    MULTICLASS_EXPERIMENT,
    CROSSVALIDATION,
    COREFERENCE,
    DIMENSION,
    BINARY_EXPERIMENT,
    INITIALISATION,
    EMBEDDINGS,
    BEYOND,
)
STUDIES = "tuning.db"
PAGE = "report.html"


def systems_to_tune(bench: Bench) -> list[System]:
    """Every model that has something to tune: the ladder's, and a classifier for each class."""
    ladder = [system for system in LADDER if system.changes.get("model.kind") != "majority"]
    binary = [classifier(name) for name in CLASSES]
    split = papers_split(bench)
    return [*ladder, *(System(system.name, {**system.changes, **split}) for system in binary)]


def tune_systems(
    bench: Bench,
    output: Path,
    *,
    grid: str,
    trials: int = 0,
    jobs: int = 1,
    report: Callable[[str], Report] = lambda system: lambda standing: None,
) -> dict[str, Tuned]:
    """The best settings of each system on the development relations, each by a study of its own.

    The studies are in OUTPUT/tuning.db, and go on where they were.
    """
    found = {}
    for system in systems_to_tune(bench):
        configuration = bench.configuration.changed(system.changes)
        found[system.name] = tune(
            bench.corpus,
            configuration,
            space=choose_space(configuration, grid=grid),
            storage=f"sqlite:///{(output / STUDIES).resolve()}",
            trials=trials,
            jobs=jobs,
            report=report(system.name),
        )
    return found


def tuning_findings(bench: Bench, tuned: dict[str, Tuned], *, grid: str) -> Findings:
    """What was found for each system, as it scored on the development relations."""
    names = list(dict.fromkeys(name for one in tuned.values() for name in one.best.values))
    rows: list[tuple[Cell, ...]] = [
        (
            system,
            Measure(one.best.score) if one.best.score is not None else None,
            one.count("complete", "pruned"),
            *(f"{one.best.values[name]:.3g}" if name in one.best.values else None for name in names),
        )
        for system, one in tuned.items()
    ]
    return Findings(
        name="tuning",
        title="Settings",
        words=(
            f"Found with the {grid} grid on the development relations of {bench.corpus.name}, by accuracy; "
            "for one class against the others by F1. The best of many trials scores too well where it was "
            "chosen: judge by the test part.",
        ),
        tables=(
            Table("tuning", "The best settings", ("system", "development", "trials", *names), tuple(rows)),
        ),
    )


def write_report(bench: Bench, findings: list[Findings], output: Path, facts: dict[str, str]) -> Path:
    """OUTPUT/report.html: everything that was found, on one page."""
    corpus = bench.corpus
    path = output / PAGE
    write_page(
        path,
        findings,
        title=f"Implicit discourse relations on {corpus.name}",
        settings=commented_toml(bench.configuration),
        versions=versions(),
        facts={
            "corpus": f"{corpus.name}: {len(corpus.documents)} documents, {len(corpus.relations)} relations",
            "split": bench.protocol,
            "seeds": ", ".join(map(str, bench.seeds)),
            **facts,
        },
    )
    return path
