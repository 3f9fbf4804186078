"""Commands that are imported when they are called: help and completion list them from a table."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from disco2.errors import Disco2Error, SettingsError


@dataclass(frozen=True)
class Declared:
    """A command before it is imported: where its function is, and the line that a listing shows.

    That line is the first one of the function's docstring; a test compares them.
    """

    module: str
    function: str
    help: str

    def load(self) -> Callable[..., Any]:
        """The function itself, importing what it needs."""
        found: Callable[..., Any] = getattr(importlib.import_module(self.module), self.function)
        return found


@dataclass(frozen=True)
class DeclaredGroup:
    """Commands under a common name."""

    help: str
    commands: Mapping[str, Declared] = field(default_factory=dict)


Table = Mapping[str, Declared | DeclaredGroup]

RENAMED = {"--bundle": "--model", "--model": "--kind"}  # each where a command has the new name alone


class Command(TyperCommand):
    """A command that knows what its options were called before."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # NoSuchOption of Typer or of click, depending on Typer's version
            old = getattr(error, "option_name", "")
            known = {name for option in self.params for name in option.opts}
            if old in known or RENAMED.get(old) not in known:
                raise
            raise SettingsError(f"Unknown option {old}.", hint=f"It is now called {RENAMED[old]}.") from None


class LazyGroup(TyperGroup):
    """A group that knows the names and lines of its commands, and imports the one that is asked for."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._table: Table = {}
        self._loaded: dict[str, Any] = {}
        self._listing = False

    def declare(self, table: Table) -> None:
        """Give the group its commands, in the order in which they are listed."""
        self._table = table
        for name, declared in table.items():
            self.commands[name] = TyperCommand(name, help=declared.help, rich_markup_mode=None)

    @property
    def table(self) -> Table:
        return self._table

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command; for a shell that lists them a stand-in that has its name and its line alone."""
        if self._listing or cmd_name not in self._table:
            return super().get_command(ctx, cmd_name)
        if cmd_name not in self._loaded:
            try:
                self._loaded[cmd_name] = _made(cmd_name, self._table[cmd_name])
            except ImportError as error:
                if getattr(ctx, "resilient_parsing", False):  # a shell asks for completions
                    return None
                raise Disco2Error(
                    f"The command '{cmd_name}' can't be loaded: {error}.",
                    hint="See what is wrong with the installation: disco2 doctor",
                ) from error
        return self._loaded[cmd_name]

    def get_help_option(self, ctx: Any) -> Any:
        found = super().get_help_option(ctx)
        switched_off(found)
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Whole lines; Typer would cut them off at the width of the terminal."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, declared.help) for name, declared in self._table.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        self._listing = True
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            self._listing = False


def switched_off(option: Any) -> None:
    """Let a switch that is not given be off: to see what None is, Typer would load a package for types."""
    if getattr(option, "is_flag", False) and option.default is None:
        option.default = False


def lazy_group(name: str, declared: DeclaredGroup) -> LazyGroup:
    """A group of commands, none of them imported."""
    group = typer.Typer(
        name=name,
        help=declared.help,
        cls=LazyGroup,
        no_args_is_help=True,
        rich_markup_mode=None,
        add_completion=False,
    )
    made = cast("LazyGroup", typer.main.get_group(group))
    made.declare(declared.commands)
    return made


def _made(name: str, declared: Declared | DeclaredGroup) -> Any:
    if isinstance(declared, DeclaredGroup):
        return lazy_group(name, declared)
    alone = typer.Typer(rich_markup_mode=None, add_completion=False)
    alone.command(name, cls=Command)(declared.load())
    return typer.main.get_command(alone)
