"""A user's choice -> annotators: the built-in English ones, with the chosen ones over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from disco2.annotation.annotator import ALL_LAYERS, Annotator, Annotators, Layer, Layers
from disco2.annotation.english.annotators import english_annotators
from disco2.errors import SettingsError

if TYPE_CHECKING:
    from disco2.annotation.stanford import StanfordParser

BUILT_IN, STANFORD = "built-in", "stanford"
_PARSERS = {BUILT_IN: BUILT_IN, "builtin": BUILT_IN, STANFORD: STANFORD}


class ChosenAnnotators(Annotators):
    """Annotators of which one may be a program of its own, which ``close`` ends."""

    def __init__(self, annotators: Sequence[Annotator], *, program: StanfordParser | None = None) -> None:
        super().__init__(annotators)
        self._program = program

    def __enter__(self) -> ChosenAnnotators:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._program is not None:
            self._program.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorChoice:
    """Who makes which layer; by default the built-in English annotators make all.

    ``spacy`` is the name of an installed pipeline or its folder, and makes what that pipeline makes;
    ``stanza`` makes all layers; ``parser`` says who makes the constituents, whoever makes the rest.
    """

    spacy: str = ""
    stanza: bool = False
    stanza_folder: Path | None = None  # where Stanza's models are, if not in its own place
    stanza_download: bool = False  # whether Stanza may fetch models that are missing
    parser: str = BUILT_IN
    stanford_home: Path | None = None

    def __post_init__(self) -> None:
        if self.spacy and self.stanza:
            raise SettingsError("spaCy and Stanza can't both make the tokens.", hint="Choose one of them.")
        if not self.stanza and (self.stanza_folder is not None or self.stanza_download):
            raise SettingsError("A setting for Stanza has no effect without it.", hint="Add --stanza.")
        if self.parser not in _PARSERS:
            raise SettingsError(
                f"There is no parser '{self.parser}'.", hint=f"Choose {BUILT_IN} or {STANFORD}."
            )
        if self.parser == STANFORD and self.stanford_home is None:
            raise SettingsError(
                "The Stanford parser does not come with this program.",
                hint="Say where it is: --stanford-home DIR, the folder with stanford-parser.jar.",
            )
        if self.parser != STANFORD and self.stanford_home is not None:
            raise SettingsError(
                "A folder for the Stanford parser has no effect without it.", hint="Add --parser stanford."
            )

    def open(self, *, layers: Layers = ALL_LAYERS, on_demand: bool = False) -> ChosenAnnotators:
        """Load who makes these layers, and nobody else; close the result where it may hold the parser.

        With ``on_demand`` the built-in annotators are loaded when they first have something to annotate.
        """
        chosen: list[Annotator] = []
        program: StanfordParser | None = None
        if self.stanford_home is not None and Layer.CONSTITUENTS in layers:
            # First, because what it lacks shows at once.
            from disco2.annotation.stanford import StanfordParser

            program = StanfordParser(self.stanford_home)
        others = layers - {Layer.CONSTITUENTS}
        if self.spacy and others:
            from disco2.annotation.spacy_pipeline import SpacyPipeline

            chosen.append(SpacyPipeline.load(self.spacy))
        if self.stanza and (others or program is None):
            from disco2.annotation.stanza_pipeline import StanzaPipeline

            chosen.append(
                StanzaPipeline.load(
                    folder=self.stanza_folder,
                    download=self.stanza_download,
                    layers=others if program is not None else layers,
                )
            )
        if program is not None:
            chosen.append(program)
        made = frozenset(layer for annotator in chosen for layer in annotator.requires)
        built_in = english_annotators(layers=layers - made, on_demand=on_demand)
        return ChosenAnnotators([*built_in, *chosen], program=program)
