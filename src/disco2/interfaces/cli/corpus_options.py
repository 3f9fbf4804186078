"""Options that name a corpus, and who makes which of its layers."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.annotator import Layer, check_mixture
from disco2.corpora.automatic import read_layers, with_automatic_layers
from disco2.corpora.catalogue import CORPUS_NAMES, read_corpus
from disco2.corpora.collecting import cycles_left_alone
from disco2.corpora.intersection import documents_with_coreference
from disco2.errors import CorpusError, SettingsError
from disco2.interfaces.cli.annotator_options import AnnotatorOptions
from disco2.interfaces.cli.console import messages, progress_bar
from disco2.interfaces.cli.grouped_options import takes
from disco2.interfaces.cli.options import path_option
from disco2.records import Corpus


@dataclass(frozen=True)
class CorpusChoice(AnnotatorOptions):
    """The corpus that the options of a command name. Every field is an option."""

    corpus: Annotated[str, typer.Option(help=f"Kind of corpus: {', '.join(CORPUS_NAMES)}.")] = ""
    path: Annotated[Path | None, path_option(help="Folder or file of the corpus.")] = None
    trees: Annotated[Path | None, path_option(help="Folder of PTB bracket files.")] = None
    coref: Annotated[
        Path | None,
        path_option(help="Folder of coreference files, CoNLL's or OntoNotes's; for GUM: ontogum or gum."),
    ] = None
    with_coref_only: Annotated[
        bool,
        typer.Option(
            "--with-coref-only",
            help="Keep only the documents that have coreference of their own: PDTB ∩ OntoNotes.",
        ),
    ] = False
    dependencies: Annotated[Path | None, path_option(help="Folder of CoNLL-U files.")] = None
    raw: Annotated[Path | None, path_option(help="Folder of PDTB 2's raw text, where it is elsewhere.")] = (
        None
    )
    offsets: Annotated[str, typer.Option(help="How PDTB 3 spans end: auto, inclusive, exclusive.")] = "auto"
    encoding: Annotated[str, typer.Option(help="Encoding of the files: auto, utf-8 or latin-1.")] = "auto"
    automatic: Annotated[
        str,
        typer.Option(help=f"Layers to make anew, not to take from the corpus: all, or {', '.join(Layer)}."),
    ] = ""

    def read(self) -> Corpus:
        """The corpus, with layers made anew where that is asked for."""
        if not self.automatic and self.chosen:
            raise SettingsError(
                "An annotator is chosen, but no layer for it to make.", hint="Add --automatic with layers."
            )
        corpus = self.read_own()
        return self.read_automatic(corpus) if self.automatic else corpus

    def read_automatic(self, corpus: Corpus, *, usual: str = "") -> Corpus:
        """The corpus with the layers of ``automatic``, or the usual ones, by the chosen annotators."""
        layers = read_layers(self.automatic or usual)
        check_mixture(layers)
        with self.open(layers=layers) as annotators, progress_bar() as bar:
            task = bar.add_task("annotating", total=len(corpus.documents))
            made = with_automatic_layers(
                corpus, annotators, layers, progress=lambda done: bar.update(task, completed=done)
            )
        note = f"note: {', '.join(made.automatic)} by {made.annotators}"
        messages.print(note, markup=False, style="dim")
        if lost := len(corpus.relations) - len(made.relations):
            messages.print(f"note: {lost} relations lie under no automatic token", markup=False, style="dim")
        return made

    def read_own(self) -> Corpus:
        """The corpus with its own layers, saying on standard error what was wrong in its files."""
        if not self.corpus or self.path is None:
            raise CorpusError(
                "No corpus was named.", hint=f"Give --corpus (one of {', '.join(CORPUS_NAMES)}) and --path."
            )
        with messages.status(f"reading {self.corpus}"), cycles_left_alone():  # silent where nobody watches
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
            gc.freeze()  # a command keeps its corpus to the end, so nobody need look through it for cycles
        if self.with_coref_only:
            corpus = documents_with_coreference(corpus)
        for note in corpus.notes:
            messages.print(f"note: {note}", markup=False, style="dim")
        if counts := corpus.dirt.counts():
            summary = ", ".join(f"{kind} ({count})" for kind, count in counts.most_common())
            messages.print(f"note: repaired or skipped: {summary}", markup=False, style="dim")
        return corpus


# Gives a command the options of ``CorpusChoice``; it gets them as its argument ``corpus``.
takes_corpus = takes(CorpusChoice, "corpus")
