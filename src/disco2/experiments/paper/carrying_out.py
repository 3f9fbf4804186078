"""Experiments on a corpus: what is missing is trained, what was found is written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from disco2.experiments.paper.bench import Bench, Experiment
from disco2.experiments.runs.perform import Runs
from disco2.experiments.runs.workers import Progress, perform_all
from disco2.reporting.findings import Findings
from disco2.reporting.writing import write_findings


def carry_out(
    experiments: Sequence[Experiment],
    bench: Bench,
    output: Path,
    *,
    jobs: int = 1,
    redo: bool = False,
    progress: Progress = lambda plan, done, total: None,
) -> list[Findings]:
    """Make the runs that are not finished (all of them to ``redo``), then write tables and figures.

    OUTPUT/runs has a directory for each run, which experiments share; tables/, figures/ and findings/ lie
    beside it.
    """
    runs = Runs(output / "runs", bench.corpora)
    plans = [plan for experiment in experiments for plan in experiment.plans(bench)]
    if redo:
        for plan in plans:
            runs.drop(plan)
    perform_all(runs, plans, jobs=jobs, progress=progress)
    found = [experiment.findings(bench, runs.perform) for experiment in experiments]
    for findings in found:
        write_findings(findings, output)
    return found
