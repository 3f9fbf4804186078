"""The program: its own options and the table of its commands, each imported when it is called."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, cast, get_type_hints

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from disco2.errors import Disco2Error, SettingsError


@dataclass(frozen=True)
class CommandEntry:
    """A command before it is imported: a function of a module in this folder."""

    file: str
    function: str

    @property
    def module(self) -> str:
        return f"{__package__}.{self.file}"

    @property
    def help(self) -> str:
        """The first paragraph of the docstring, read without importing the module."""
        return _docstrings(self.file)[self.function]

    def load(self) -> Callable[..., None]:
        """Import the function."""
        found: Callable[..., None] = getattr(importlib.import_module(self.module), self.function)
        return found


@functools.cache
def _docstrings(file: str) -> dict[str, str]:
    """The first paragraph of the docstring of each function in a file of this folder."""
    tree = ast.parse(Path(__file__).with_name(f"{file}.py").read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    first = {one.name: (ast.get_docstring(one) or "").split("\n\n")[0] for one in functions}
    return {name: " ".join(text.split()) for name, text in first.items()}


@dataclass(frozen=True)
class GroupEntry:
    """Commands under a common name."""

    help: str
    commands: Mapping[str, CommandEntry]


Table = Mapping[str, CommandEntry | GroupEntry]


def _group(help: str, file: str, functions: Mapping[str, str]) -> GroupEntry:
    return GroupEntry(help, {name: CommandEntry(file, function) for name, function in functions.items()})


_EXPERIMENTS = _group(
    "The paper's tables and figures.",
    "experiment",
    {
        "multiclass": "multiclass",
        "crossvalidation": "crossvalidation",
        "dimension": "dimension",
        "coreference": "coreference",
        "binary": "binary",
        "embeddings": "embeddings",
        "initialisation": "initialisation",
        "beyond": "beyond",
        "all": "everything",
        "layers": "layers",
    },
)

COMMANDS: Table = {
    "predict": CommandEntry("predict", "predict"),
    "predict-pairs": CommandEntry("predict", "predict_pairs"),
    "bulk": CommandEntry("predict", "bulk"),
    "serve": CommandEntry("serve", "serve"),
    "annotate": CommandEntry("annotate", "annotate"),
    "label": CommandEntry("label", "label"),
    "train": CommandEntry("train", "train"),
    "tune": CommandEntry("train", "tune_settings"),
    "evaluate": CommandEntry("evaluate", "evaluate"),
    "models": CommandEntry("installation", "models"),
    "corpus": _group(
        "Describe, generate, mine and convert corpora.",
        "corpus",
        {
            "stats": "corpus_stats",
            "role-pairs": "role_pairs",
            "mine": "corpus_mine",
            "convert": "corpus_convert",
        },
    ),
    "experiment": GroupEntry(
        _EXPERIMENTS.help, {**_EXPERIMENTS.commands, "parser": CommandEntry("evaluate", "parser")}
    ),
    "annotator": _group(
        "The built-in English annotator.",
        "annotate",
        {"train": "annotator_train", "evaluate": "annotator_evaluate"},
    ),
    "cache": _group(
        "The cache of layers of texts annotated for training.",
        "installation",
        {"info": "cache_info", "clear": "cache_clear"},
    ),
    "doctor": CommandEntry("installation", "doctor"),
}

# Old spellings: (command, or * for all that have the new option; option) -> what to use now
RENAMED = {
    ("predict", "--pairs"): "disco2 predict-pairs FILE --output ANSWERS",
    ("predict", "--files"): "disco2 bulk 'PATTERN' --output DIR",
    ("*", "--bundle"): "--model",
    ("*", "--model"): "--kind",
}


class Command(TyperCommand):
    """A command whose errors name the new spelling of an old option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # NoSuchOption of Typer or of click, depending on Typer's version
            old = getattr(error, "option_name", "")
            known = {name for option in self.params for name in option.opts}
            if new := RENAMED.get((self.name or "", old)):
                raise SettingsError(
                    f"'disco2 {self.name}' no longer has {old}.", hint=f"Use: {new}"
                ) from None
            new = RENAMED.get(("*", old), "")
            if new in known and old not in known:
                raise SettingsError(f"Unknown option {old}.", hint=f"It is now called {new}.") from None
            raise


class LazyGroup(TyperGroup):
    """A group that lists its commands from a table, and imports the one that is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.table: Table = {}
        self._loaded: dict[str, Any] = {}
        self._listing = False

    def declare(self, table: Table) -> None:
        """Set the commands, in the order in which they are listed."""
        self.table = table
        for name in table:
            self.commands[name] = TyperCommand(name, rich_markup_mode=None)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command. While a shell completes names, a stand-in with name and help is enough."""
        if self._listing or cmd_name not in self.table:
            return super().get_command(ctx, cmd_name)
        if cmd_name not in self._loaded:
            try:
                self._loaded[cmd_name] = _make_command(cmd_name, self.table[cmd_name])
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
        _default_to_off(found)
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List whole help lines; Typer would cut them off at the width of the terminal."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.table.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        self._listing = True
        for name, entry in self.table.items():
            self.commands[name].help = entry.help
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            self._listing = False


def expand_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is a dataclass by one option per field, for Typer.

    Fields of the class itself come first, inherited ones after them.
    """
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        group = parameter.annotation
        if not is_dataclass(group):
            parameters.append(parameter.replace(kind=keyword))
            continue
        groups[parameter.name] = cast(type[Any], group)
        hints = get_type_hints(group, include_extras=True)
        parameters += [
            inspect.Parameter(option.name, keyword, default=option.default, annotation=hints[option.name])
            for option in sorted(fields(group), key=lambda option: option.name not in group.__annotations__)
        ]

    @functools.wraps(command)
    def expanded(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{option.name: values.pop(option.name) for option in fields(group)})
        command(**values)

    expanded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    expanded.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return expanded


def lazy_group(name: str, entry: GroupEntry) -> LazyGroup:
    """A group of commands, none of them imported."""
    group = typer.Typer(
        name=name,
        help=entry.help,
        cls=LazyGroup,
        no_args_is_help=True,
        rich_markup_mode=None,
        add_completion=False,
    )
    made = cast(LazyGroup, typer.main.get_group(group))
    made.declare(entry.commands)
    return made


def _make_command(name: str, entry: CommandEntry | GroupEntry) -> Any:
    if isinstance(entry, GroupEntry):
        return lazy_group(name, entry)
    program = typer.Typer(rich_markup_mode=None, add_completion=False)
    program.command(name, cls=Command)(expand_options(entry.load()))
    return typer.main.get_command(program)


def _default_to_off(option: Any) -> None:
    """Set the default of a flag to False: for None, Typer would import a package of types."""
    if getattr(option, "is_flag", False) and option.default is None:
        option.default = False


def _print_version(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:  # as it is while a shell asks for completions
        from disco2.interfaces.cli.installation import version_lines

        for line in version_lines():
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
    """Discourse relations in English text: predict, train, evaluate, and work with corpora."""


def _make_program() -> LazyGroup:
    program = typer.Typer(name="disco2", cls=LazyGroup, no_args_is_help=True, rich_markup_mode=None)
    program.callback()(_disco2)
    made = cast("LazyGroup", typer.main.get_command(program))
    made.declare(COMMANDS)
    for option in made.params:
        _default_to_off(option)
    return made


app = _make_program()
