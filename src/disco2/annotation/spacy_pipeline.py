"""Any installed spaCy pipeline as an annotator: it gives what its components make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from disco2.annotation.annotator import Layer, Layers, check_provided
from disco2.annotation.cache import file_fingerprint
from disco2.annotation.coreferee_chains import add_coreferee, has_coreferee, mentions_of
from disco2.annotation.spacy_documents import (
    Analysis,
    analysis_of,
    document_of_pieces,
    sentence_spans,
    to_spacy,
    with_layers,
    word_mask,
)
from disco2.annotation.spacy_memory import MemoryZones
from disco2.annotation.text import text_pieces
from disco2.errors import LayerError, SettingsError
from disco2.records import Document

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

# What a component assigns, by spaCy's own account, and the layer that it makes.
_ASSIGNED = {
    Layer.TOKENS: "token.is_sent_start",
    Layer.TAGS: "token.tag",
    Layer.DEPENDENCIES: "token.dep",
}
_NOT_NEEDED = frozenset({"ner", "entity_linker", "lemmatizer", "trainable_lemmatizer", "textcat", "spancat"})


class SpacyPipeline:
    """A spaCy pipeline: tokens and sentences, tags, dependencies, and coreferee's chains.

    Sentences need a parser, a senter or a sentencizer, and tags a tagger; what a pipeline lacks it does not
    provide. Dependencies keep the pipeline's labels, but for ``root``; in spaCy's own English ones they are
    not Universal Dependencies. Documents that come with tokens keep tokens and sentences unless new ones are
    asked for.
    """

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self._memory = MemoryZones(nlp)
        self._provided = _provided(nlp)
        if not self._provided:
            raise SettingsError(
                f"The pipeline {self.name} has no component that is of use here.",
                hint="Choose one with a tagger and a parser, such as en_core_web_md.",
            )

    @classmethod
    def load(cls, pipeline: str) -> SpacyPipeline:
        """The pipeline of an installed package, or in a folder; SettingsError where it can't be had."""
        import spacy

        try:
            nlp = spacy.load(pipeline)
        except OSError as error:
            if Path(pipeline).exists():
                raise _unusable(pipeline, error) from error
            raise SettingsError(
                f"There is no spaCy pipeline '{pipeline}': neither a package that is installed nor a folder.",
                hint=f"Install it with: python -m spacy download {pipeline}",
            ) from error
        except Exception as error:  # whatever the pipeline's own code raises
            raise _unusable(pipeline, error) from error
        if not add_coreferee(nlp):
            unneeded = [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory in _NOT_NEEDED]
            nlp.select_pipes(disable=unneeded)
        return cls(nlp)

    @property
    def name(self) -> str:
        meta = self._nlp.meta
        return f"spaCy {meta['lang']}_{meta['name']} {meta['version']}"

    @property
    def fingerprint(self) -> str:
        """What tells its results from those of others, for the cache; empty where its folder does not say it
        all, as with coreferee, or where it has none."""
        folder = self._nlp.path
        if folder is None or Layer.COREFERENCE in self._provided:
            return ""
        components = ", ".join(self._nlp.pipe_names)
        return f"{self.name}, {components}, {file_fingerprint(folder)}"

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        needs_tokens = frozenset({Layer.TOKENS})
        return {layer: needs_tokens - {layer} for layer in self._provided}

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        check_provided(self, layers)
        found = list(documents)
        if Layer.TOKENS in layers:
            found = [self._tokenised(document, layers) for document in found]
            layers &= {Layer.COREFERENCE}  # the rest was made in the same go
        if layers:
            found = [self._layered(document, layers) for document in found]
        return found

    def _tokenised(self, document: Document, layers: Layers) -> Document:
        """New tokens, paragraph by paragraph: a sentence ends there in any case, and memory stays bounded."""
        pieces = text_pieces(document.text)
        with self._memory.zone():
            docs = self._run([self._nlp.make_doc(piece.text) for piece in pieces], document)
            analyses = [
                self._analysis(doc, sentence_spans(doc), layers, words=word_mask(doc)) for doc in docs
            ]
        return document_of_pieces(document, zip(pieces, analyses, strict=True))

    def _layered(self, document: Document, layers: Layers) -> Document:
        """Layers on the document's own tokens; chains need the whole document in one piece."""
        if not document.tokens:
            return replace(document, mentions=()) if Layer.COREFERENCE in layers else document
        spans = [(sentence.start, sentence.end) for sentence in document.sentences if len(sentence)]
        with self._memory.zone():
            [doc] = self._run([to_spacy(document, self._nlp.vocab)], document)
            document = with_layers(document, [self._analysis(doc, spans, layers)], layers=layers)
            if Layer.COREFERENCE in layers:
                document = replace(document, mentions=mentions_of(doc))
        return document

    def _analysis(
        self,
        doc: Doc,
        spans: Sequence[tuple[int, int]],
        layers: Layers,
        *,
        words: Sequence[bool] | None = None,
    ) -> Analysis:
        return analysis_of(
            doc, spans, tagged=Layer.TAGS in layers, parsed=Layer.DEPENDENCIES in layers, words=words
        )

    def _run(self, docs: Sequence[Doc], document: Document) -> list[Doc]:
        try:
            return list(self._nlp.pipe(docs))
        except Exception as error:  # whatever the pipeline's own code raises
            raise LayerError(
                f"The pipeline {self.name} failed: {_first_line(error)}", where=document.id
            ) from error


def _provided(nlp: Language) -> Layers:
    assigned = {what for name in nlp.pipe_names for what in nlp.get_pipe_meta(name).assigns}
    layers = {layer for layer, what in _ASSIGNED.items() if what in assigned}
    if has_coreferee(nlp):
        layers.add(Layer.COREFERENCE)
    return frozenset(layers)


def _unusable(pipeline: str, error: Exception) -> SettingsError:
    return SettingsError(
        f"The spaCy pipeline '{pipeline}' can't be loaded: {_first_line(error)}",
        hint="Check that it was made for the installed version of spaCy: python -m spacy validate",
    )


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
