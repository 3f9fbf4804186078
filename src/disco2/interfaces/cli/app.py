"""The program: its own options and the table of its commands, each imported when it is called."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, cast, get_type_hints

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from disco2.errors import Disco2Error, SettingsError
from disco2.version import VERSION

# File of this folder -> its commands, in the order of the help; the function has the command's name, such as
# corpus_role_pairs.
FILES = {
    "predict": ("predict", "predict-pairs", "bulk"),
    "serve": ("serve",),
    "annotate": ("annotate",),
    "label": ("label",),
    "train": ("train", "tune"),
    "evaluate": ("evaluate",),
    "corpus": ("corpus stats", "corpus role-pairs", "corpus mine", "corpus convert"),
    "experiment": ("experiment all", "experiment layers", "experiment parser"),
    "installation": ("models", "doctor", "cache info", "cache clear"),
}
# The paper's tables and figures, which differ in nothing else -> what each is
PAPER = {
    "experiment multiclass": "Accuracy of every model of the paper's table, with tests of the differences.",
    "experiment crossvalidation": "With and without entities and features, on all documents in five folds.",
    "experiment dimension": "Accuracy of the full model over the number of dimensions K.",
    "experiment coreference": "Shared entities and accuracy under own and under automatic coreference.",
    "experiment binary": "One class of level 1 against all others: F1 and accuracy of four classifiers.",
    "experiment embeddings": "A map of the word vectors (t-SNE) with pronouns and other words marked.",
    "experiment initialisation": "What happens if the low-rank factors are initialised with zeros.",
    "experiment beyond": "Beyond the paper: the steps from its model to the best one we know.",
}
COMMANDS = {name: file for file, names in FILES.items() for name in names}
COMMANDS |= dict.fromkeys(PAPER, "experiment")
GROUPS = {
    "corpus": "Describe, generate, mine and convert corpora.",
    "experiment": "The paper's tables and figures.",
    "cache": "The cache of layers of texts annotated for training.",
}


def names_in(group: str = "") -> list[str]:
    """The commands of a group, or of the program, in the order of the help."""
    prefix = f"{group} " if group else ""
    found = [name.removeprefix(prefix) for name in COMMANDS if name.startswith(prefix)]
    return list(dict.fromkeys(name.split()[0] for name in found))


def help_of(name: str) -> str:
    """The first paragraph of a command's docstring, read without importing it."""
    return GROUPS.get(name) or PAPER.get(name) or _docstrings(COMMANDS[name])[_function_name(name)]


def load_function(name: str) -> Callable[..., None]:
    """Import the function of a command."""
    module = importlib.import_module(f"{__package__}.{COMMANDS[name]}")
    if name not in PAPER:
        return cast(Callable[..., None], getattr(module, _function_name(name)))
    command: Callable[..., None] = module.paper_experiment(name.split()[-1])
    command.__doc__ = PAPER[name]
    return command


def _function_name(name: str) -> str:
    return name.replace(" ", "_").replace("-", "_")


@functools.cache
def _docstrings(file: str) -> dict[str, str]:
    tree = ast.parse(Path(__file__).with_name(f"{file}.py").read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    first = {one.name: (ast.get_docstring(one) or "").split("\n\n")[0] for one in functions}
    return {name: " ".join(text.split()) for name, text in first.items()}


# Old spellings of options -> what to use now
RENAMED = {
    "--pairs": "disco2 predict-pairs FILE --output ANSWERS",
    "--files": "disco2 bulk 'PATTERN' --output DIR",
    "--bundle": "--model",
    "--model": "--kind",
}
# Commands that were removed -> what to use now
REMOVED = {"annotator": "python -m tools.train_annotator --help, in a checkout of the source code"}


class Command(TyperCommand):
    """A command whose errors name the new spelling of an old option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # NoSuchOption of Typer or of click, depending on Typer's version
            old = getattr(error, "option_name", "")
            new = RENAMED.get(old, "")
            known = {name for option in self.params for name in option.opts}
            if not new or old in known or (new.startswith("--") and new not in known):
                raise
            raise SettingsError(f"Unknown option {old}.", hint=f"Use: {new}") from None


class LazyGroup(TyperGroup):
    """A group that lists its commands from the table, and imports the one that is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._prefix = "" if self.name in (None, "disco2") else f"{self.name} "
        for name in names_in(self._prefix.strip()):
            self.commands[name] = TyperCommand(name, rich_markup_mode=None)
        self._listing = False

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command. While a shell completes names, a stand-in with name and help is enough."""
        if cmd_name in REMOVED and not self._prefix:
            raise SettingsError(f"The command '{cmd_name}' was removed.", hint=f"Use: {REMOVED[cmd_name]}")
        if self._listing or cmd_name not in self.commands:
            return super().get_command(ctx, cmd_name)
        try:
            return _make_command(self._prefix + cmd_name)
        except ImportError as error:
            hint = "See what is wrong with the installation: disco2 doctor"
            raise Disco2Error(f"The command '{cmd_name}' can't be loaded: {error}.", hint=hint) from error

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List whole help lines; Typer would cut them off at the width of the terminal."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_of(self._prefix + name)) for name in self.commands])

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        self._listing = True
        for name, command in self.commands.items():
            command.help = help_of(self._prefix + name)
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


def _make_command(name: str) -> Any:
    """A group, none of its commands imported, or one command."""
    plain: Any = {"rich_markup_mode": None, "add_completion": False}
    if name in GROUPS:
        group = typer.Typer(name=name, help=GROUPS[name], cls=LazyGroup, no_args_is_help=True, **plain)
        return typer.main.get_group(group)
    single = typer.Typer(**plain)
    single.command(name.split()[-1], cls=Command)(expand_options(load_function(name)))
    return typer.main.get_command(single)


def _print_version(context: typer.Context, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:  # as it is while a shell asks for completions
        typer.echo(f"disco2 {VERSION}")
        raise typer.Exit


def _disco2(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Discourse relations in English text: predict, train, evaluate, and work with corpora."""


_program = typer.Typer(name="disco2", cls=LazyGroup, no_args_is_help=True, rich_markup_mode=None)
_program.callback()(_disco2)
app = cast("LazyGroup", typer.main.get_command(_program))
