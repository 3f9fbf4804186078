"""Options that all experiments share, and what they print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from disco2.experiments.configuration import Configuration, of_one_corpus, read_configuration
from disco2.interfaces.cli.console import print_json, print_table, results
from disco2.interfaces.cli.grouped_options import takes
from disco2.interfaces.cli.options import AsJson, Assignments, ConfigFile, Protocol, path_option
from disco2.interfaces.cli.training_workers import TrainingWorkers
from disco2.reporting.findings import Findings
from disco2.reporting.tables import plain
from disco2.reporting.writing import findings_content


@dataclass(frozen=True)
class ExperimentOptions(TrainingWorkers):
    """Where runs go, how many there are, and their settings. Every field is an option."""

    output: Annotated[Path, path_option(help="Folder for runs, tables and figures.")] = Path("runs")
    seeds: Annotated[int, typer.Option(help="Train every model with the seeds 1 to this.", min=1)] = 5
    redo: Annotated[bool, typer.Option("--redo", help="Make finished runs anew.")] = False
    config: ConfigFile = None
    assignments: Assignments = None
    protocol: Protocol = ""
    as_json: AsJson = False

    def configuration(self) -> Configuration:
        configuration = of_one_corpus(read_configuration(self.config, self.assignments or []))
        return configuration.changed({"task.protocol": self.protocol}) if self.protocol else configuration

    @property
    def seed_numbers(self) -> tuple[int, ...]:
        return tuple(range(1, self.seeds + 1))


# Gives a command these options; it gets them as its argument ``options``.
takes_experiment = takes(ExperimentOptions, "options")


def show_findings(findings: Iterable[Findings], *, as_json: bool) -> None:
    """Tables on standard output, or everything as one JSON object."""
    found = list(findings)
    if as_json:
        print_json({one.name: findings_content(one) for one in found})
        return
    for one in found:
        for words in one.words:
            results.print(words, markup=False)
        for table in one.tables:
            results.print("")
            print_table(table.title, *plain(table))
            for note in table.notes:
                results.print(note, markup=False, style="dim")
        results.print("")
