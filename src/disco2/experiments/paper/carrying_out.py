"""Experiments on a corpus: what is missing is trained, what was found is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from disco2.engines import Engine
from disco2.experiments.paper.bench import Bench, Experiment
from disco2.experiments.runs.perform import Runs
from disco2.experiments.runs.plan import RunPlan
from disco2.experiments.runs.versions import versions_of
from disco2.experiments.runs.workers import Progress, perform_all
from disco2.reporting.findings import Findings
from disco2.reporting.writing import write_findings

RUNS = "runs"


def check_packages(experiments: Iterable[Experiment]) -> None:
    """Raise MissingExtraError where a package is missing that an experiment needs at its end."""
    for experiment in experiments:
        experiment.check()


def carry_out(
    experiments: Sequence[Experiment],
    bench: Bench,
    output: Path,
    *,
    engine: Engine | None = None,
    redo: bool = False,
    progress: Progress = lambda plan, done, total: None,
    notice: Callable[[str], None] = lambda text: None,
) -> list[Findings]:
    """Make the runs that are not finished (all of them to ``redo``), and write tables and figures.

    The ``engine``'s workers make them, or this process where there is none. Findings of an experiment are
    written as soon as its last run is made. OUTPUT/runs has a directory for each run, which experiments
    share; tables/, figures/ and findings/ lie beside it.
    """
    check_packages(experiments)
    runs = Runs(output / RUNS, bench.corpora)
    needed = {experiment.name: experiment.plans(bench) for experiment in experiments}
    plans = list(dict.fromkeys(plan for some in needed.values() for plan in some))
    if redo:
        for plan in plans:
            runs.drop(plan)
    unfinished = {
        name: {plan for plan in some if not runs.is_finished(plan)} for name, some in needed.items()
    }
    found: dict[str, Findings] = {}

    def write_what_is_ready() -> None:
        for experiment in experiments:
            if experiment.name not in found and not unfinished[experiment.name]:
                found[experiment.name] = experiment.findings(bench, runs.result)
                write_findings(found[experiment.name], output)

    def finished(plan: RunPlan) -> None:
        for some in unfinished.values():
            some.discard(plan)
        write_what_is_ready()

    write_what_is_ready()
    perform_all(runs, plans, engine=engine, progress=progress, finished=finished, notice=notice)
    return [found[experiment.name] for experiment in experiments]


def versions_of_runs(experiments: Iterable[Experiment], bench: Bench, output: Path) -> dict[str, str]:
    """With what the runs of some experiments were made; where they differ, all versions there were."""
    runs = Runs(output / RUNS, bench.corpora)
    plans = dict.fromkeys(plan for experiment in experiments for plan in experiment.plans(bench))
    return versions_of(runs.folder(plan).versions() for plan in plans)
