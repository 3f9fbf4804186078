"""The program: its own options and the table of its commands, each imported when it is called."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, cast, get_type_hints

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from disco2.errors import Disco2Error, SettingsError


@dataclass(frozen=True)
class CommandEntry:
    """A command before it is imported: ``module:function`` in this folder, and its line in listings.

    That line is the first one of the function's docstring; a test compares them.
    """

    target: str
    help: str

    @property
    def module(self) -> str:
        return f"{__package__}.{self.target.partition(':')[0]}"

    def load(self) -> Callable[..., None]:
        """Import the function."""
        found: Callable[..., None] = getattr(
            importlib.import_module(self.module), self.target.partition(":")[2]
        )
        return found


@dataclass(frozen=True)
class GroupEntry:
    """Commands under a common name."""

    help: str
    commands: Mapping[str, CommandEntry] = field(default_factory=dict)


Table = Mapping[str, CommandEntry | GroupEntry]

_CORPUS = {
    "stats": CommandEntry(
        "corpus:corpus_stats",
        "Count relations by kind, sense and part, shared entities, and what was dropped and why.",
    ),
    "role-pairs": CommandEntry(
        "corpus:role_pairs",
        "Write pairs like Bob's and Tina's, where only the pronoun's referent decides the relation.",
    ),
    "mine": CommandEntry(
        "corpus:corpus_mine",
        "Find pairs that a connective joins in any English text, and write them without it, to train on.",
    ),
    "convert": CommandEntry(
        "corpus:corpus_convert", "Write a corpus in another form. Both forms leave coreference out."
    ),
}

_EXPERIMENT = {
    "multiclass": CommandEntry(
        "experiment:multiclass",
        "Accuracy of every model of the paper's table, with tests of the differences.",
    ),
    "crossvalidation": CommandEntry(
        "experiment:crossvalidation",
        "With and without entities, with and without features, on all documents in five folds.",
    ),
    "dimension": CommandEntry(
        "experiment:dimension", "Accuracy of the full model over the number of dimensions K."
    ),
    "coreference": CommandEntry(
        "experiment:coreference",
        "Relations with shared entities under the corpus's own and under automatic coreference.",
    ),
    "binary": CommandEntry(
        "experiment:binary", "One class of level 1 against all others: F1 and accuracy of four classifiers."
    ),
    "embeddings": CommandEntry(
        "experiment:embeddings",
        "A map of the word vectors (t-SNE) with pronouns and other words of interest marked.",
    ),
    "initialisation": CommandEntry(
        "experiment:initialisation",
        "What happens when the low-rank factors are initialised with zeros, as in the paper.",
    ),
    "beyond": CommandEntry(
        "experiment:beyond", "Beyond the paper: the steps from its model to the best one we know."
    ),
    "all": CommandEntry("experiment:everything", "All experiments; an interrupted run resumes."),
    "parser": CommandEntry(
        "evaluate_parser:parser",
        "Connectives, arguments, senses and all relations from raw text, beside rules, and by genre.",
    ),
    "layers": CommandEntry(
        "experiment:layers",
        "The same model on the corpus's own layers and on automatic ones, as named by --automatic.",
    ),
}

_ANNOTATOR = {
    "train": CommandEntry(
        "annotate:annotator_train",
        "Train tokens, tags, dependencies, constituents and coreference on GUM's training part.",
    ),
    "evaluate": CommandEntry(
        "annotate:annotator_evaluate",
        "Score each layer of an annotator: tokens, sentences, tags, dependencies, trees and chains.",
    ),
}

_CACHE = {
    "info": CommandEntry("installation:cache_info", "Path, size and number of documents of the cache."),
    "clear": CommandEntry(
        "installation:cache_clear", "Remove the cache; layers are made again when they are needed."
    ),
}

COMMANDS: Table = {
    "predict": CommandEntry(
        "predict:predict",
        "Find the relations of a text: stated by connectives, inside sentences, and between them.",
    ),
    "predict-pairs": CommandEntry(
        "predict:predict_pairs",
        "Predict the relation of each pair of arguments in a file of JSON Lines or CSV.",
    ),
    "bulk": CommandEntry(
        "predict:bulk", "Find the relations of many files, on several cores or a cluster, into a folder."
    ),
    "serve": CommandEntry(
        "serve:serve", "Serve relations over HTTP, with a web page. Ctrl+C or SIGTERM stops it gracefully."
    ),
    "annotate": CommandEntry(
        "annotate:annotate", "Write tokens, tags, trees, dependencies, mentions and chains of a text as JSON."
    ),
    "train": CommandEntry(
        "train:train", "Train a model; the dev part decides when to stop, the test part is not used."
    ),
    "label": CommandEntry(
        "label:label",
        "Label pairs in the terminal, starting with those that the model is least certain of.",
    ),
    "tune": CommandEntry(
        "train:tune_settings",
        "Search settings that do well on the development relations; the test part is not used.",
    ),
    "evaluate": CommandEntry(
        "evaluate:evaluate",
        "Accuracy with its interval, F1 by sense, confusion, and pairs with and without shared entities.",
    ),
    "models": CommandEntry(
        "installation:models", "List the shipped models: size, speed, accuracy, data and licence of each."
    ),
    "corpus": GroupEntry("Describe, generate, mine and convert corpora.", _CORPUS),
    "experiment": GroupEntry("The paper's tables and figures.", _EXPERIMENT),
    "annotator": GroupEntry("The built-in English annotator.", _ANNOTATOR),
    "cache": GroupEntry("The cache of layers of texts annotated for training.", _CACHE),
    "doctor": CommandEntry(
        "installation:doctor", "Check what is installed, which model is used, and whether it works."
    ),
}

RENAMED = {"--bundle": "--model", "--model": "--kind"}  # each where a command has the new name only
MOVED = {
    ("predict", "--pairs"): "disco2 predict-pairs FILE --output ANSWERS",
    ("predict", "--files"): "disco2 bulk 'PATTERN' --output DIR",
}


class Command(TyperCommand):
    """A command whose errors name the new spelling of an old option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # NoSuchOption of Typer or of click, depending on Typer's version
            old = getattr(error, "option_name", "")
            known = {name for option in self.params for name in option.opts}
            if old in known:
                raise
            if command := MOVED.get((self.name or "", old)):
                raise SettingsError(
                    f"'disco2 {self.name}' no longer has {old}.", hint=f"Use: {command}"
                ) from None
            if RENAMED.get(old) in known:
                raise SettingsError(
                    f"Unknown option {old}.", hint=f"It is now called {RENAMED[old]}."
                ) from None
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
        for name, entry in table.items():
            self.commands[name] = TyperCommand(name, help=entry.help, rich_markup_mode=None)

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


def _install_completion(context: Any, _: Any, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from disco2.interfaces.cli.installation import install_completion

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
    """Discourse relations in English text: predict, train, evaluate, and work with corpora."""


def _make_program() -> LazyGroup:
    program = typer.Typer(name="disco2", cls=LazyGroup, no_args_is_help=True, rich_markup_mode=None)
    program.callback()(_disco2)
    made = cast("LazyGroup", typer.main.get_command(program))
    made.declare(COMMANDS)
    for option in made.params:
        if option.name == "install_completion":  # Typer's own rewrites the shell's start file in place
            option.callback = _install_completion
        _default_to_off(option)
    return made


app = _make_program()
