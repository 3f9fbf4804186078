"""Stanza as an annotator: all layers, for whoever has its models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from disco2.annotation.annotator import ALL_LAYERS, Layer, Layers, check_provided
from disco2.annotation.cache import file_fingerprint
from disco2.annotation.stanza_documents import (
    StanzaDocument,
    document_from_stanza,
    to_stanza,
    with_stanza_layers,
)
from disco2.errors import Disco2Error, LayerError, MissingExtraError, SettingsError
from disco2.records import Document

# Stanza's processors that each layer needs, after those of tokens.
PROCESSORS = {
    Layer.TOKENS: ("tokenize", "mwt"),
    Layer.TAGS: ("pos",),
    Layer.DEPENDENCIES: ("pos", "lemma", "depparse"),
    Layer.CONSTITUENTS: ("pos", "constituency"),
    Layer.COREFERENCE: ("coref",),
}
_ORDER = ("tokenize", "mwt", "pos", "lemma", "constituency", "depparse", "coref")


class StanzaPipeline:
    """A Stanza pipeline; documents that come with tokens keep tokens and sentences unless asked for new ones.

    It tags on its own account for trees and dependencies, whatever tags the document has.
    """

    def __init__(self, pipeline: Any, *, language: str = "en") -> None:
        self._pipeline = pipeline
        self._language = language
        loaded = set(pipeline.processors)
        self._provided = frozenset(
            layer for layer, needed in PROCESSORS.items() if loaded >= set(needed) - {"mwt"}
        )

    @classmethod
    def load(
        cls,
        language: str = "en",
        *,
        folder: Path | None = None,
        download: bool = False,
        layers: Layers = ALL_LAYERS,
    ) -> StanzaPipeline:
        """Stanza's models of these layers for a language, from its own folder unless told.

        Nothing is downloaded unasked.
        """
        packages = ("stanza", "transformers", "peft") if Layer.COREFERENCE in layers else ("stanza",)
        for package in packages:
            if find_spec(package) is None:
                raise MissingExtraError(package, "stanza", "Stanza")
        stanza = import_module("stanza")
        needed = {name for layer in layers | {Layer.TOKENS} for name in PROCESSORS[layer]}
        processors = ",".join(name for name in _ORDER if name in needed)
        place = {} if folder is None else {"dir": str(folder)}
        try:
            pipeline = stanza.Pipeline(
                language,
                processors=processors,
                # With REUSE_RESOURCES only what is missing is fetched.
                download_method=stanza.DownloadMethod.REUSE_RESOURCES if download else None,
                verbose=False,
                **place,
            )
        except Exception as error:  # missing or unreadable models, an unknown language, no network
            fetch = f"stanza.download('{language}', processors='{processors}')"
            raise SettingsError(
                f"Stanza's models for '{language}' can't be loaded: {_first_line(error)}",
                where=str(folder or ""),
                hint=f'Fetch them with --stanza-download, or with: python -c "import stanza; {fetch}"',
            ) from error
        return cls(pipeline, language=language)

    @property
    def name(self) -> str:
        return f"Stanza {version('stanza')} ({self._language})"

    @property
    def fingerprint(self) -> str:
        """What tells its results from those of others, for the cache; empty where its folder is not known."""
        folder = getattr(self._pipeline, "dir", None)
        if not folder or not (Path(folder) / self._language).is_dir():
            return ""
        # Beside the models, a file says which of them are the usual ones.
        files = file_fingerprint(Path(folder) / self._language, Path(folder) / "resources.json")
        return f"{self.name}, {files}"

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        needs_tokens = frozenset({Layer.TOKENS})
        return {layer: needs_tokens - {layer} for layer in self._provided}

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        check_provided(self, layers)
        return [self._annotated(document, layers) for document in documents]

    def _annotated(self, document: Document, layers: Layers) -> Document:
        try:
            if Layer.TOKENS in layers:
                given = document.text if document.text.strip() else to_stanza(document)
                return document_from_stanza(self._run(given, layers), document, layers=layers)
            return with_stanza_layers(document, self._run(to_stanza(document), layers), layers=layers)
        except Disco2Error:
            raise
        except Exception as error:  # whatever a model of Stanza's raises
            raise LayerError(f"Stanza failed: {_first_line(error)}", where=document.id) from error

    def _run(self, given: str | StanzaDocument, layers: Layers) -> StanzaDocument:
        """Run what the layers need over a text, or over a document that has its words already."""
        if not isinstance(given, str) and not given.sentences:
            return given
        processors = [name for name in _ORDER if any(name in PROCESSORS[layer] for layer in layers)]
        return self._pipeline.process(given, processors=processors)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
