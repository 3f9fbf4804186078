"""Options that choose who does the work: processes of this machine, or a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from disco2.engines import DaskEngine, Engine, LocalEngine
from disco2.errors import InputError
from disco2.interfaces.cli.offered_values import among

LOCAL = "local"
DASK = "dask"


@dataclass(frozen=True)
class EngineOptions:
    """Where the workers are; how many, a command has an option of its own for."""

    engine: Annotated[
        str,
        typer.Option(
            help=f"Who does the work: {LOCAL} (processes of this machine) or {DASK} (extra cluster).",
            autocompletion=among((LOCAL, DASK)),
        ),
    ] = LOCAL
    scheduler: Annotated[
        str,
        typer.Option(
            help=f"Dask's scheduler, whose workers do the work. Default: {DASK} starts its own, here.",
            metavar="tcp://HOST:PORT",
        ),
    ] = ""

    @property
    def elsewhere(self) -> bool:
        """Whether the workers are those of a cluster, however many it has."""
        return bool(self.scheduler)

    def open(self, workers: int) -> Engine:
        """The engine, with so many workers of its own; a cluster that is named has its own number."""
        if self.engine not in (LOCAL, DASK):
            raise InputError(
                f"There is no engine '{self.engine}'.", where="--engine", hint=f"Take {LOCAL} or {DASK}."
            )
        if self.scheduler and self.engine != DASK:
            raise InputError(
                "Only Dask has a scheduler.", where="--scheduler", hint=f"Give --engine {DASK} as well."
            )
        if self.engine == DASK:
            DaskEngine.check_installed()
            return DaskEngine(workers=workers, scheduler=self.scheduler)
        return LocalEngine(workers)
