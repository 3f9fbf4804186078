"""disco2 experiment all: every table and figure of the paper, and a page with all of them."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

import typer

from disco2.errors import SettingsError
from disco2.experiments.bench import Bench, check_packages
from disco2.experiments.report import ALL, storage_in, tune_systems, tuning_findings, write_report
from disco2.experiments.tuning.space import GRIDS
from disco2.experiments.tuning.standing import Report
from disco2.experiments.tuning.tune import check_storage
from disco2.interfaces.cli.console import progress_bar, tell
from disco2.interfaces.cli.corpus_options import CorpusChoice, takes_corpus
from disco2.interfaces.cli.experiment import read_versions, watched
from disco2.interfaces.cli.experiment_options import ExperimentOptions, show_findings, takes_experiment
from disco2.interfaces.cli.offered_values import among
from disco2.interfaces.cli.tune import ShownStanding
from disco2.reporting.writing import write_findings

UNTUNED = "none"


@takes_experiment
@takes_corpus
def everything(
    corpus: CorpusChoice,
    options: ExperimentOptions,
    grid: Annotated[
        str,
        typer.Option(
            help=f"Tune every model first: {', '.join(GRIDS)}; {UNTUNED}: settings as they are.",
            autocompletion=among((*GRIDS, UNTUNED)),
        ),
    ] = GRIDS[0],
    trials: Annotated[
        int | None, typer.Option(help="Trials for each model. Default: as many as the grid has.", min=1)
    ] = None,
    storage: Annotated[
        str,
        typer.Option(
            help="Where studies are kept, as for disco2 tune. Default: a SQLite file in --output, which "
            "workers on one machine can share."
        ),
    ] = "",
) -> None:
    """All experiments; called again after an interruption, it goes on where it was.

    Ends with OUTPUT/report.html, one page with tables, figures, confusions and examples.
    """
    if grid not in (*GRIDS, UNTUNED):
        raise SettingsError(f"There is no grid '{grid}'.", hint=f"Known: {', '.join((*GRIDS, UNTUNED))}.")
    check_packages(ALL)
    engine = options.opened()
    storage = storage or storage_in(options.output)
    if grid != UNTUNED:
        check_storage(storage)
        options.check_storage(storage)
    began = time.perf_counter()
    versions = read_versions(corpus)
    bench = Bench(versions, options.configuration(), options.seed_numbers)
    findings = []
    if grid != UNTUNED:
        with progress_bar() as bar:

            def shown(system: str) -> Report:
                return ShownStanding(bar, bar.add_task(system, total=None), name=system)

            tuned = tune_systems(
                bench,
                options.output,
                grid=grid,
                storage=storage,
                trials=trials or 0,
                engine=engine,
                report=shown,
            )
        bench = replace(bench, tuned={system: one.configuration for system, one in tuned.items()})
        findings.append(tuning_findings(bench, tuned, grid=grid))
        write_findings(findings[0], options.output)
    findings += watched(ALL, bench, options)
    page = write_report(
        bench,
        findings,
        options.output,
        {
            "settings": f"tuned, grid {grid}" if grid != UNTUNED else "as given",
            "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "seconds of this call": f"{time.perf_counter() - began:.0f}",
        },
    )
    show_findings(findings, as_json=options.as_json)
    tell(f"the report is {page}")
