"""All of the paper's tables and figures on one corpus: settings tuned, models trained, one page written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from disco2.corpora.tasks import CLASSES
from disco2.experiments import paper
from disco2.experiments.bench import Bench, Experiment
from disco2.experiments.configuration import commented_toml
from disco2.experiments.coreference import COREFERENCE
from disco2.experiments.embeddings import EMBEDDINGS
from disco2.experiments.runs import plain_words, versions
from disco2.experiments.tuning import Tuned, TuningProgress, choose_space, readable, tune
from disco2.files import write_text
from disco2.reporting.findings import Findings, Measure, Row, Table
from disco2.reporting.page import report_page

ALL: list[Experiment] = [paper.MULTICLASS_EXPERIMENT, paper.CROSSVALIDATION, COREFERENCE, paper.DIMENSION]
ALL += [paper.BINARY_EXPERIMENT, paper.INITIALISATION, EMBEDDINGS, paper.BEYOND]
STUDIES, TUNED, TUNING = "tuning.db", "tuned", "tuning"
PAGE = "report.html"


def tune_systems(
    bench: Bench,
    output: Path,
    *,
    grid: str,
    trials: int = 0,
    jobs: int = 1,
    progress: Callable[[str], TuningProgress] = lambda system: lambda finished, wanted, best: None,
    notice: Callable[[str], None] = lambda text: None,
) -> dict[str, Tuned]:
    """The best settings of the ladder's models and of a classifier for each class, one study for each.

    Studies in OUTPUT/tuning.db are continued. OUTPUT/tuned has a file for each system, for --config.
    """
    found = {}
    models = [system for system in paper.LADDER if system.changes["model.kind"] != "majority"]
    for system in (*models, *(paper.classifier(bench, name) for name in CLASSES)):
        configuration = bench.configuration.changed(system.changes)
        found[system.name] = tune(
            bench.corpus,
            configuration,
            space=choose_space(configuration, grid=grid),
            file=output / STUDIES,
            trials=trials,
            jobs=jobs,
            progress=progress(system.name),
            notice=notice,
        )
        write_text(output / tuned_file(system.name), [found[system.name].to_toml()])
    return found


def tuned_file(system: str) -> str:
    """Where in OUTPUT the settings lie that were found for a system."""
    return f"{TUNED}/{plain_words([system])}.toml"


def tuning_findings(bench: Bench, tuned: dict[str, Tuned], *, grid: str) -> Findings:
    """What was found for each system, as it scored on the development relations."""
    values = {system: readable(one.best.params) for system, one in tuned.items()}
    names = list(dict.fromkeys(name for some in values.values() for name in some))
    rows: list[Row] = [
        (
            system,
            Measure(one.best.value or 0.0),
            len(one.ranking),
            *(f"{values[system][name]:.3g}" if name in values[system] else None for name in names),
        )
        for system, one in tuned.items()
    ]
    return Findings(
        name=TUNING,
        title="Settings",
        words=(
            f"Found with the {grid} grid on the development relations of {bench.corpus.name}, by accuracy; "
            "for one class against the others by F1. The best of many trials scores too well where it was "
            "chosen: judge by the test part.",
        ),
        tables=(
            Table(
                "tuning",
                "The best settings",
                ("system", "development", "trials", *names),
                tuple(rows),
                (f"All settings of a system are in {TUNED}/, as files that --config reads.",),
            ),
        ),
        data={system: {"file": tuned_file(system), **one.to_json()} for system, one in tuned.items()},
    )


def write_report(bench: Bench, findings: list[Findings], output: Path, facts: dict[str, str]) -> Path:
    """OUTPUT/report.html: every experiment, settings last."""
    corpus, path = bench.corpus, output / PAGE
    page = report_page(
        sorted(findings, key=lambda one: one.name == TUNING),
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
    write_text(path, [page])
    return path
