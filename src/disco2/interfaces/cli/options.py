"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from disco2.errors import InputError
from disco2.interfaces.cli.offered_values import PROTOCOLS, among, settings, shipped_models
from disco2.shipped import DEFAULT


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
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace files of an earlier output that were changed since, or that lie among other files; "
        "those are never touched.",
    ),
]
ConfigFile = Annotated[Path | None, path_option("--config", help="TOML file with settings.")]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME|FOLDER",
        help=f"A model that ships (see: disco2 models), or the folder of another. Default: {DEFAULT}.",
        autocompletion=shipped_models,
        show_default=False,
    ),
]
Protocol = Annotated[
    str,
    typer.Option(
        help="Split: own, gum, lin, ji, documents, cv12-0 to cv12-11, cvK-i. Default: the usual one.",
        autocompletion=among(PROTOCOLS),
    ),
]
