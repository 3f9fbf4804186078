"""Options that choose who annotates a text."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.annotator import ALL_LAYERS, BUILT_IN, STANFORD, AnnotatorChoice, Annotators, Layers
from disco2.interfaces.cli.grouped_options import takes
from disco2.interfaces.cli.offered_values import among, spacy_pipelines
from disco2.interfaces.cli.options import path_option


@dataclass(frozen=True)
class AnnotatorOptions:
    """Who makes the layers of a text. Every field is an option."""

    spacy: Annotated[
        str,
        typer.Option(
            help="An installed spaCy pipeline (or its folder) for tokens, tags, dependencies.",
            autocompletion=spacy_pipelines,
        ),
    ] = ""
    stanza: Annotated[bool, typer.Option("--stanza", help="All layers from Stanza.")] = False
    stanza_folder: Annotated[
        Path | None, path_option(help="Where Stanza's models are, if not in its own place.")
    ] = None
    stanza_download: Annotated[
        bool, typer.Option("--stanza-download", help="Let Stanza fetch models that are missing.")
    ] = False
    parser: Annotated[
        str,
        typer.Option(
            help=f"Who makes the constituents: {BUILT_IN} or {STANFORD}.",
            autocompletion=among((BUILT_IN, STANFORD)),
        ),
    ] = BUILT_IN
    stanford_home: Annotated[
        Path | None, path_option(help="Folder of the Stanford parser, with stanford-parser.jar.")
    ] = None

    @property
    def chosen(self) -> bool:
        """Whether any of these options was given."""
        return any(getattr(self, option.name) != option.default for option in fields(AnnotatorOptions))

    def open(self, *, layers: Layers = ALL_LAYERS, on_demand: bool = False) -> Annotators:
        """The annotators that make these layers, ready or loaded ``on_demand``; to be closed."""
        return AnnotatorChoice(
            spacy=self.spacy,
            stanza=self.stanza,
            stanza_folder=self.stanza_folder,
            stanza_download=self.stanza_download,
            parser=self.parser,
            stanford_home=self.stanford_home,
        ).open(layers=layers, on_demand=on_demand)


takes_annotators = takes(AnnotatorOptions, "annotators")
