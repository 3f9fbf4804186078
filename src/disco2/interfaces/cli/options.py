"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from disco2.errors import InputError
from disco2.interfaces.cli.offered_values import PROTOCOLS, among, settings


def place(text: str) -> Path:
    """A path from the command line; a leading ~ is the home folder, also where no shell has replaced it."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise InputError("There is no home folder of that name.", where=text) from None


def path_option(*names: str, help: str) -> Any:
    """An option that takes a path."""
    return typer.Option(*names, help=help, parser=place, metavar="PATH")


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", help="Any setting, such as model.K=50. May be repeated.", autocompletion=settings),
]
ConfigFile = Annotated[Path | None, path_option("--config", help="TOML file with settings.")]
Protocol = Annotated[
    str,
    typer.Option(
        help="Split of the documents: own, gum, lin, ji, cv12-0 to cv12-11, cvK-i. Default: usual.",
        autocompletion=among(PROTOCOLS),
    ),
]
