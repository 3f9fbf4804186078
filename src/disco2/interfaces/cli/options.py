"""Options that several commands share, each declared once, and how texts are read.

A dataclass whose fields are options can be a parameter of a command; ``app.expand_options`` gives Typer one
option for each field. This module imports no NumPy: ``disco2 --version`` and ``disco2 doctor`` use it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Annotators, Layers
from disco2.engines import DaskEngine, Engine, LocalEngine
from disco2.errors import InputError, SettingsError
from disco2.inference.plain_text import UTF_8, decoded
from disco2.shipped import DEFAULT, shipped_names

if TYPE_CHECKING:
    from disco2.inference.pipeline import Pipeline
    from disco2.model.probabilities import Shares

_FOLDS = ("cv5-0", "cv10-0", *(f"cv12-{fold}" for fold in range(12)))
PROTOCOLS = ("own", "gum", "lin", "ji", "documents", *_FOLDS)
PARTS = ("train", "dev", "test")
ENCODINGS = ("utf-8", "latin-1", "utf-16", "cp1252")
BLANK = "blank"
PARAGRAPHS = (BLANK, "line", "none")  # the keys of ``inference.candidates.PARAGRAPH_BREAKS``
STANDARD_INPUT = Path("-")
LOCAL, DASK = "local", "dask"
UNIFORM = "uniform"
SHIPPED = shipped_names()


# Kinds of options. A shell offers their values while one types.


def suggest(values: Iterable[str], *names: str, help: str, **more: Any) -> Any:
    """An option that takes any text; these values are offered. ``{}`` in the help stands for them."""
    known = tuple(values)

    def complete(incomplete: str) -> list[str]:
        return [value for value in known if value.startswith(incomplete)]

    return typer.Option(*names, help=help.format(", ".join(known)), autocompletion=complete, **more)


def choose(what: str, values: Iterable[str], *names: str, help: str) -> Any:
    """An option that takes one of these values; SettingsError for another one."""
    known = tuple(values)

    def check(text: str) -> str:
        if text not in known:
            raise SettingsError(f"Unknown {what} '{text}'.", hint=f"Choose one of: {', '.join(known)}.")
        return text

    return suggest(known, *names, help=help, parser=check, metavar="TEXT")


def expand_path(text: str) -> Path:
    """A path from the command line, with a leading ~ expanded even where no shell did it."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise InputError("There is no home folder of that name.", where=text) from None


def path_option(*names: str, help: str) -> Any:
    """An option that takes a path."""
    return typer.Option(*names, help=help, parser=expand_path, metavar="PATH")


def file_argument(help: str) -> Any:
    return typer.Argument(help=help, parser=expand_path, metavar="FILE")


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace an earlier output that was changed since. A folder with other files is refused.",
    ),
]
Restart = Annotated[bool, typer.Option("--restart", help="Discard what an interrupted run has left.")]
Explain = Annotated[bool, typer.Option("--explain", help="Split each score into its terms.")]
TextArgument = Annotated[str | None, typer.Argument(help="The text itself.")]
TextFile = Annotated[Path | None, path_option("--file", help="Text file; - for standard input.")]
Encoding = Annotated[str, suggest(ENCODINGS, help="Encoding of the files.")]
Paragraphs = Annotated[str, choose("paragraph mode", PARAGRAPHS, help="What ends a paragraph: {}.")]
Model = Annotated[
    str | None,
    suggest(
        SHIPPED,
        "--model",
        metavar="NAME|FOLDER",
        help=f"A shipped model (see: disco2 models), or the folder of another. Default: {DEFAULT}.",
        show_default=False,
    ),
]
Protocol = Annotated[
    str,
    suggest(
        PROTOCOLS,
        help="Split: own, gum, lin, ji, documents, cv12-0 to cv12-11, cvK-i. Default: the usual one.",
    ),
]
Part = Annotated[str, suggest(PARTS, help="Part of the corpus: train, dev or test.")]


def read_input(path: Path, *, encoding: str = UTF_8) -> str:
    """Read the text of a file (``-``: standard input). Line ends stay, a byte order mark is removed.

    A file that starts with the mark of UTF-16 is decoded as UTF-16.
    """
    where = "standard input" if path == STANDARD_INPUT else str(path)
    return decoded(read_bytes(path), encoding=encoding, where=where)


def read_bytes(path: Path) -> bytes:
    with open_input(path) as stream:
        try:
            return stream.read()
        except OSError as error:  # it does not name the file
            raise InputError(f"It can't be read: {error.strerror or error}.", where=str(path)) from None


def open_input(path: Path) -> BinaryIO:
    """A file or standard input, open for reading; OSError, which the program reports, if that fails."""
    if path == STANDARD_INPUT and sys.stdin is None:
        raise InputError("Standard input is closed.", hint="Send a text there, or give the path of a file.")
    return sys.stdin.buffer if path == STANDARD_INPUT else path.open("rb")


def check_source(*given: object, hint: str) -> None:
    """Raise InputError unless exactly one of these was given."""
    count = sum(one is not None for one in given)
    if count != 1:
        raise InputError("There is more than one input." if count else "No text was given.", hint=hint)


def check_not_input(output: Path, *inputs: Path | None) -> None:
    """Raise InputError if the output is one of the inputs."""
    if os.path.realpath(output) in [os.path.realpath(path) for path in inputs if path is not None]:
        raise InputError(
            "The output would overwrite its input.", where=str(output), hint="Choose another --output."
        )


def document_name(path: Path | None) -> str:
    """The identifier of a document that was read from this file."""
    if path is None or path == STANDARD_INPUT:
        return "text"
    return path.stem.encode(errors="replace").decode()


@dataclass(frozen=True)
class AnnotatorOptions:
    """The annotators of a text. Every field is an option."""

    spacy: Annotated[str, typer.Option(help="A spaCy pipeline for tokens, tags, dependencies.")] = ""

    def open(self, *, layers: Layers = ALL_LAYERS, on_demand: bool = False) -> Annotators:
        """The annotators of these layers, a context manager; ``on_demand`` loads them at their first use."""
        return AnnotatorChoice(spacy=self.spacy).open(layers=layers, on_demand=on_demand)


def read_prior(text: str) -> Shares:
    """Parse ``uniform`` or ``LABEL=SHARE,...``. Labels and sums are checked when the model is known."""
    if text == UNIFORM:
        return UNIFORM
    pairs = [pair.rpartition("=") for pair in text.split(",")]
    try:
        shares = {label.strip(): float(share) for label, _, share in pairs}
    except ValueError:
        shares = {}
    if "" in shares or len(shares) < len(pairs):
        hint = f"Give {UNIFORM}, or shares such as Contingency.Cause=0.4,NoRel=0.1."
        raise SettingsError("No shares by label, each label once.", where=f"--prior {text}", hint=hint)
    return shares


@dataclass(frozen=True)
class PipelineOptions(AnnotatorOptions):
    """The annotators, the model, and the expected shares of senses."""

    model: Model = None
    prior: Annotated[
        Any,
        suggest((UNIFORM,), parser=read_prior, metavar="LABEL=SHARE,...", help="Shares of senses, or {}."),
    ] = None

    @contextmanager
    def loaded(self, *, annotators: bool = True) -> Iterator[Pipeline]:
        """The pipeline; processes that it started end with it. Annotated documents need no annotators."""
        from disco2.inference.pipeline import load

        with self.open() if annotators else Annotators([]) as chosen:
            yield load(self.model, annotators=chosen, prior=self.prior)


@dataclass(frozen=True)
class EngineOptions:
    """Where the workers are; each command has its own option for how many."""

    engine: Annotated[str, choose("engine", (LOCAL, DASK), help="Where workers are: {}.")] = LOCAL
    scheduler: Annotated[
        str, typer.Option(help="Address of a running Dask scheduler.", metavar="tcp://HOST:PORT")
    ] = ""

    def open(self, workers: int) -> Engine:
        """The engine with this number of workers; a cluster given by its scheduler has its own number."""
        if self.scheduler and self.engine != DASK:
            raise InputError(
                "Only Dask has a scheduler.", where="--scheduler", hint=f"Give --engine {DASK} as well."
            )
        if self.engine == DASK:
            DaskEngine.check_installed()
            return DaskEngine(workers=workers, scheduler=self.scheduler)
        return LocalEngine(workers)
