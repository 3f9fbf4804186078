"""Options of commands that train much: how many processes do it, and where they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from disco2.engines import Engine
from disco2.interfaces.cli.console import tell
from disco2.interfaces.cli.engine_options import LOCAL, EngineOptions
from disco2.interfaces.cli.grouped_options import takes


@dataclass(frozen=True)
class TrainingWorkers(EngineOptions):
    """The engine, and its number of workers."""

    jobs: Annotated[
        int,
        typer.Option(
            help="Processes that train side by side. With --scheduler all its workers do: they must see the "
            "--output folder or --storage, and files that settings name, as this command does.",
            min=1,
        ),
    ] = 1

    def opened(self) -> Engine | None:
        """None where one process is enough, which is this one."""
        engine = self.open(self.jobs)
        return None if self.engine == LOCAL and self.jobs == 1 else engine

    def check_storage(self, address: str) -> None:
        """Say so where workers may not see the storage of a study."""
        if self.elsewhere and address.startswith("sqlite"):
            tell(
                "the study is kept in a SQLite file, for workers on this machine alone; if there are others: "
                "--storage postgresql://USER@HOST/DATABASE"
            )


takes_workers = takes(TrainingWorkers, "workers")
