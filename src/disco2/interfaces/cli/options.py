"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from disco2.corpora.catalogue import CORPUS_NAMES, read_corpus
from disco2.errors import CorpusError, InputError
from disco2.interfaces.cli.console import messages
from disco2.records import Corpus


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
    list[str] | None, typer.Option("--set", help="Any setting, such as model.K=50. May be repeated.")
]
ConfigFile = Annotated[Path | None, path_option("--config", help="TOML file with settings.")]
Protocol = Annotated[
    str,
    typer.Option(help="Split of the documents: own, gum, lin, ji, cv12-0 to cv12-11, cvK-i. Default: usual."),
]


@dataclass(frozen=True)
class CorpusChoice:
    """The corpus that the options of a command name. Every field is an option."""

    corpus: Annotated[str, typer.Option(help=f"Kind of corpus: {', '.join(CORPUS_NAMES)}.")] = ""
    path: Annotated[Path | None, path_option(help="Folder or file of the corpus.")] = None
    trees: Annotated[Path | None, path_option(help="Folder of PTB bracket files.")] = None
    coref: Annotated[
        Path | None, path_option(help="Folder of CoNLL coreference files; for GUM: ontogum or gum.")
    ] = None
    dependencies: Annotated[Path | None, path_option(help="Folder of CoNLL-U files.")] = None
    raw: Annotated[Path | None, path_option(help="Folder of PDTB 2's raw text, where it is elsewhere.")] = (
        None
    )
    offsets: Annotated[str, typer.Option(help="How PDTB 3 spans end: auto, inclusive, exclusive.")] = "auto"
    encoding: Annotated[str, typer.Option(help="Encoding of the files: auto, utf-8 or latin-1.")] = "auto"

    def open(self) -> Corpus:
        """Read the corpus, and say on standard error what was wrong in its files."""
        if not self.corpus or self.path is None:
            raise CorpusError(
                "No corpus was named.", hint=f"Give --corpus (one of {', '.join(CORPUS_NAMES)}) and --path."
            )
        with messages.status(f"reading {self.corpus}"):  # silent where nobody watches
            corpus = read_corpus(
                self.corpus,
                self.path,
                trees=self.trees,
                coreference=self.coref,
                dependencies=self.dependencies,
                raw=self.raw,
                offsets=self.offsets,
                encoding=self.encoding,
            )
        for note in corpus.notes:
            messages.print(f"note: {note}", markup=False, style="dim")
        if counts := corpus.dirt.counts():
            summary = ", ".join(f"{kind} ({count})" for kind, count in counts.most_common())
            messages.print(f"note: repaired or skipped: {summary}", markup=False, style="dim")
        return corpus


def takes_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of ``CorpusChoice``; it gets them as its argument ``corpus``."""
    hints = get_type_hints(CorpusChoice, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(option.name, keyword, default=option.default, annotation=hints[option.name])
        for option in fields(CorpusChoice)
    ]
    own = [
        parameter.replace(kind=keyword)
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
        if parameter.name != "corpus"
    ]

    @functools.wraps(command)
    def with_choice(**values: Any) -> None:
        choice = CorpusChoice(**{option.name: values.pop(option.name) for option in shared})
        command(corpus=choice, **values)

    parameters = [*shared, *own]
    with_choice.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_choice.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_choice
