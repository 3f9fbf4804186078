"""All of the paper's tables and figures on one corpus: settings tuned, models trained, one page written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from disco2.corpora.tasks import CLASSES
from disco2.experiments.bench import Bench, Experiment
from disco2.experiments.configuration import assignments, commented_toml
from disco2.experiments.coreference import COREFERENCE
from disco2.experiments.embeddings import EMBEDDINGS
from disco2.experiments.full_model import (
    BINARY_EXPERIMENT,
    DIMENSION,
    INITIALISATION,
    classifier,
)
from disco2.experiments.multiclass import BEYOND, CROSSVALIDATION, FULL, LADDER, MULTICLASS_EXPERIMENT
from disco2.experiments.runs import plain_words, versions
from disco2.experiments.tuning import ReportProgress, Tuned, tune
from disco2.experiments.tuning_problem import choose_space
from disco2.files import write_text
from disco2.reporting.findings import Cell, Difference, DotFigure, Findings, Measure, Table, cell_text
from disco2.reporting.page import report_page

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
STUDIES, TUNED, TUNING = "tuning.db", "tuned", "tuning"
PAGE = "report.html"


def tune_systems(
    bench: Bench,
    output: Path,
    *,
    grid: str,
    storage: str,
    trials: int = 0,
    jobs: int = 1,
    report: Callable[[str], ReportProgress] = lambda system: lambda progress: None,
) -> dict[str, Tuned]:
    """The best settings of the ladder's models and of a classifier for each class, one study for each.

    Studies in the ``storage`` are continued. OUTPUT/tuned has a file for each system, for --config.
    """
    found = {}
    models = [system for system in LADDER if system.changes["model.kind"] != "majority"]
    for system in (*models, *(classifier(bench, name) for name in CLASSES)):
        configuration = bench.configuration.changed(system.changes)
        found[system.name] = tune(
            bench.corpus,
            configuration,
            space=choose_space(configuration, grid=grid),
            storage=storage,
            trials=trials,
            jobs=jobs,
            report=report(system.name),
        )
        write_text(output / tuned_file(system.name), [found[system.name].to_toml()])
    return found


def storage_in(output: Path) -> str:
    """The usual address of the studies: a file in OUTPUT."""
    return f"sqlite:///{(output / STUDIES).resolve()}"


def tuned_file(system: str) -> str:
    """Where in OUTPUT the settings lie that were found for a system."""
    return f"{TUNED}/{plain_words([system])}.toml"


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
                notes=(f"All settings of a system are in {TUNED}/, as files that --config reads.",),
            ),
        ),
        data={system: {"file": tuned_file(system), **one.to_json()} for system, one in tuned.items()},
    )


def write_report(bench: Bench, findings: list[Findings], output: Path, facts: dict[str, str]) -> Path:
    """OUTPUT/report.html: the main findings in words and one picture, every experiment, settings last."""
    corpus = bench.corpus
    page = report_page(
        sorted(findings, key=lambda one: one.name == TUNING),
        title=f"Implicit discourse relations on {corpus.name}",
        summary=summarise(findings),
        settings="".join([commented_toml(bench.configuration), *_tuned_toml(bench)]),
        versions=versions(),
        facts={
            "corpus": f"{corpus.name}: {len(corpus.documents)} documents, {len(corpus.relations)} relations",
            "split": bench.protocol,
            "seeds": ", ".join(map(str, bench.seeds)),
            **facts,
        },
    )
    write_text(output / PAGE, [page])
    return output / PAGE


def summarise(findings: Iterable[Findings]) -> Findings | None:
    """The accuracies of the ladder, and what entities and features change; None without that table."""
    tables = {table.name: table for one in findings for table in one.tables}
    if "multiclass" not in tables:
        return None
    column = tables["multiclass"].columns.index("test")
    accuracies = {
        str(row[0]): cell for row in tables["multiclass"].rows if isinstance(cell := row[column], Measure)
    }
    words = [
        f"The full model ({FULL.name}) gets {cell_text(accuracies[FULL.name])}% of the test relations right, "
        f"the most common class {cell_text(accuracies[LADDER[0].name])}%."
    ]
    for name, where in (("multiclass", "On the test part"), ("crossvalidation", "In cross-validation")):
        tests = tables.get(f"{name}-tests")
        for pair, subset, _, difference, p, *_ in tests.rows if tests else ():
            if subset == "all" and isinstance(difference, Difference):
                found = f"{cell_text(difference)} points (p = {cell_text(p)}), {_verdict(difference)}"
                words.append(f"{where}, {pair}: {found}.")
    ladder = tuple(accuracies.items())
    return Findings(
        "summary",
        "Findings",
        words=tuple(words),
        figures=(DotFigure("summary", "Test accuracy of each model", "accuracy (%), 95% interval", ladder),),
    )


def _verdict(difference: Difference) -> str:
    low, high = difference.interval or (0.0, 0.0)
    return "no clear difference" if low <= 0 <= high else "better" if low > 0 else "worse"


def _tuned_toml(bench: Bench) -> Iterator[str]:
    """What is other than above in the settings of each system that was tuned, as comments."""
    usual = assignments(bench.configuration)
    for system, configuration in bench.tuned.items():
        yield f"\n# {system} ({tuned_file(system)}):\n"
        for name, value in assignments(configuration).items():
            if value != usual[name]:
                yield f"#   {name} = {value}\n"
