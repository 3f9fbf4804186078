"""The program: its own options, and all commands under its name."""

from __future__ import annotations

from typing import Any, cast

import typer
import typer.main

from disco2.interfaces.cli.command_table import COMMANDS
from disco2.interfaces.cli.lazy_commands import LazyGroup, switched_off


def _print_version(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:  # as it is while a shell asks for completions
        from disco2.interfaces.cli.version_lines import version_lines

        for line in version_lines():
            typer.echo(line)
        raise typer.Exit


def _install_completion(context: Any, _: Any, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from disco2.interfaces.cli.install_completion import install_completion

        for line in install_completion():
            typer.echo(line)
        raise typer.Exit


def _disco2(
    version: bool = typer.Option(
        False,
        "--version",
        help="Print the versions of the program and of its model.",
        callback=_print_version,
        is_eager=True,
    ),
) -> None:
    """Implicit discourse relations: predict, train, evaluate and look at corpora."""


def _program() -> LazyGroup:
    program = typer.Typer(name="disco2", cls=LazyGroup, no_args_is_help=True, rich_markup_mode=None)
    program.callback()(_disco2)
    made = cast("LazyGroup", typer.main.get_command(program))
    made.declare(COMMANDS)
    for option in made.params:
        if option.name == "install_completion":  # Typer's own rewrites the shell's start file in place
            option.callback = _install_completion
        switched_off(option)
    return made


app = _program()
