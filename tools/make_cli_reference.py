"""Write docs/reference/cli.md: every command with its arguments and options.

    python tools/make_cli_reference.py

The page is made from the declarations rather than from --help, so that it depends neither on the width of a
terminal nor on the version of Typer.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from typer.models import ArgumentInfo, ParameterInfo

from disco2.interfaces.cli.app import GROUPS, app, expand_options, help_of, load_function, names_in

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"
OPENING = """\
# Command line

All commands and options of `disco2`. `disco2 COMMAND --help` prints the same for one command. Errors are one
paragraph on standard error that says what to do next, with exit code 2; results are on standard output.

A path may begin with `~`. An option may be written `--name value` or `--name=value`.
"""
COMPLETION = """\
With completion installed, the Tab key completes commands, options, their values and files, in bash, zsh and
fish. `--install-completion` installs it for the shell it is called from.
"""
TYPES = {str: "text", int: "whole number", float: "number", Path: "path"}


@dataclass(frozen=True)
class Row:
    """An argument or option, as the table shows it."""

    names: str
    value: str
    default: str
    help: str
    is_argument: bool = False


def cli_page() -> str:
    """The whole page."""
    blocks = [OPENING, _listing(), _own_options(), COMPLETION]
    for name in names_in():
        made = app.get_command(None, name)
        if name in GROUPS:
            blocks += [f"## disco2 {name}\n", f"{_text(GROUPS[name])}\n"]
            for inner in names_in(name):
                blocks += _command(f"{name} {inner}", made.get_command(None, inner), heading="###")
        else:
            blocks += _command(name, made, heading="##")
    return "\n".join(blocks)


def _listing() -> str:
    lines = ["| command | what it does |", "| --- | --- |"]
    for name in names_in():
        inner = [f"{name} {one}" for one in names_in(name)] if name in GROUPS else []
        lines += [f"| {_link(one)} | {_cell(help_of(one))} |" for one in (name, *inner)]
    return "\n".join(lines) + "\n"


def _link(name: str) -> str:
    return f"[`{name}`](#disco2-{name.replace(' ', '-')})"


def _own_options() -> str:
    """Those of the program itself, which stand before any command."""
    rows = [
        Row(", ".join(f"`{name}`" for name in option.opts), "", "", getattr(option, "help", "") or "")
        for option in app.params
    ]
    return f"## disco2\n\n```text\ndisco2 [OPTIONS] COMMAND ...\n```\n\n{_table('option', rows)}"


def _command(name: str, made: Any, *, heading: str) -> list[str]:
    function = load_function(name)
    rows = list(_rows(expand_options(function), {one.name: one for one in made.params}))
    arguments = [row for row in rows if row.is_argument]
    options = [row for row in rows if not row.is_argument]
    usage = " ".join([f"disco2 {name}", *(["[OPTIONS]"] if options else []), *map(_usage, arguments)])
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    blocks = [f"{heading} disco2 {name}\n"]
    blocks += [f"{_text(' '.join(paragraph.split()))}\n" for paragraph in paragraphs]
    blocks.append(f"```text\n{usage}\n```\n")
    if arguments:
        blocks.append(_table("argument", arguments))
    blocks.append(_table("option", options) if options else "It has no options.\n")
    return blocks


def _usage(row: Row) -> str:
    name = row.names.strip("`")
    return name if row.default == "required" else f"[{name}]"


def _rows(function: Callable[..., Any], made: Mapping[str, Any]) -> Iterator[Row]:
    """Types come from the function, names from the command that Typer made of it."""
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        kind, info = _declared(parameter)
        kinds = [one for one in get_args(kind) or (kind,) if one is not type(None)]
        many = get_origin(kinds[0]) is list
        inner = get_args(kinds[0])[0] if many else kinds[0]
        option, is_argument = made[parameter.name], isinstance(info, ArgumentInfo)
        names = [parameter.name.upper()] if is_argument else [*option.opts, *option.secondary_opts]
        from_environment = f" Environment variable: `{info.envvar}`." if info.envvar else ""
        yield Row(
            names=", ".join(f"`{name}`" for name in names),
            value=""
            if inner is bool
            else f"{TYPES.get(inner, 'text')}{_bounds(info)}{', repeated' if many else ''}",
            default=_default(parameter.default, names, inner, info),
            help=f"{info.help or ''}{from_environment}",
            is_argument=is_argument,
        )


def _declared(parameter: inspect.Parameter) -> tuple[Any, ParameterInfo]:
    """The type of a parameter and what Typer is told of it."""
    if get_origin(parameter.annotation) is not Annotated:
        raise TypeError(f"{parameter.name} has no help: declare it as Annotated[..., typer.Option(help=...)]")
    kind, *said = get_args(parameter.annotation)
    return kind, next(one for one in said if isinstance(one, ParameterInfo))


def _bounds(info: ParameterInfo) -> str:
    low, high = info.min, info.max
    if low is not None and high is not None:
        return f", {_number(low)} to {_number(high)}"
    return f", at least {_number(low)}" if low is not None else ""


def _default(default: Any, names: list[str], kind: Any, info: ParameterInfo) -> str:
    if default is inspect.Parameter.empty or default is ...:
        return "required"
    if kind is bool:
        is_switch = len(names) == 2  # such as --features, --no-features; others are off until they are given
        return f"`{names[0] if default else names[1]}`" if is_switch and default is not None else ""
    if default in (None, "") or not info.show_default:
        return ""
    return f"`{_number(default) if isinstance(default, float) else default}`"


def _number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _table(what: str, rows: list[Row]) -> str:
    """Columns that nobody fills are left out."""
    columns = {what: [row.names for row in rows], "value": [row.value for row in rows]}
    columns |= {"default": [row.default for row in rows], "": [_cell(row.help) for row in rows]}
    kept = {name: cells for name, cells in columns.items() if any(cells)}
    lines = [f"| {' | '.join(kept)} |", f"| {' | '.join('---' for _ in kept)} |"]
    lines += [f"| {' | '.join(cells)} |" for cells in zip(*kept.values(), strict=True)]
    return re.sub(r"(?<=\|)  (?=\|)", " ", "\n".join(lines)) + "\n"


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")


def _text(text: str) -> str:
    """Words as Markdown: options and code in their own letters, nothing taken for HTML."""
    marked = re.sub(r"(?<![\w`-])(--[a-z][\w-]*)", r"`\1`", text)
    pieces = re.split(r"(`[^`]*`)", marked)
    for place in range(0, len(pieces), 2):
        pieces[place] = re.sub(r"([<*])", r"\\\1", pieces[place])
    return "".join(pieces)


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(cli_page(), encoding="utf-8", newline="\n")
