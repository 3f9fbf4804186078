"""The first layers of the built-in annotator: tokens and sentences, tags, dependencies.

spaCy components, trained on GUM. spaCy gets a text paragraph by paragraph, so no sentence crosses a paragraph
break; a single line end counts as a space.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.english.annotators import Files, VectorReader
from disco2.annotation.spacy_pipeline import (
    Analysis,
    MemoryZones,
    analysis_of,
    join_pieces,
    sentence_spans,
    to_spacy,
    with_layers,
)
from disco2.annotation.text import BLANK_LINE, Piece, split_text
from disco2.data import Document, Sentence

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_T = TypeVar("_T")
_R = TypeVar("_R")
Part = tuple[Document, int, int]  # a document's tokens from the first to the last (exclusive)

SENTENCES, ENCODER, TAGGER, PARSER = "senter", "tok2vec", "tagger", "parser"
# The size of a batch; larger ones are hardly faster and need more memory.
MOST_TOKENS, MOST_CHARACTERS = 4_000, 20_000


class SpacySyntax:
    """An annotator of tokens with sentences, Penn Treebank tags and Universal Dependencies."""

    NAME: ClassVar = "disco2 English syntax"
    REQUIRES: ClassVar[Mapping[Layer, Layers]] = {
        Layer.TOKENS: frozenset(),
        Layer.TAGS: frozenset({Layer.TOKENS}),
        Layer.DEPENDENCIES: frozenset({Layer.TOKENS}),
    }

    def __init__(self, pipeline: Language) -> None:
        self._pipeline = pipeline
        self._memory = MemoryZones(pipeline)

    @classmethod
    def load(cls, files: Files, vectors: VectorReader) -> SpacySyntax:
        """The pipeline in the files of its folder."""
        from disco2.annotation.english.spacy_english import read_pipeline

        return cls(read_pipeline(files, vectors()))

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        """With TOKENS, everything is made from the text; without, tokens and sentences are kept."""
        if Layer.TOKENS in layers:
            return self._from_texts(documents, layers)
        if layers & {Layer.TAGS, Layer.DEPENDENCIES}:
            return self._on_tokens(documents, layers)
        return list(documents)

    def _from_texts(self, documents: Sequence[Document], layers: Layers) -> list[Document]:
        from disco2.annotation.english.spacy_english import tokenise_paragraph

        def analyse(pieces: Sequence[Piece]) -> list[Analysis]:
            docs = [tokenise_paragraph(self._pipeline.tokenizer, piece.text) for piece in pieces]
            return self._analyses(self._through(SENTENCES, docs), layers)

        pieces = [split_text(document.text) for document in documents]
        found = self._in_batches(pieces, lambda piece: len(piece.text), analyse, most=MOST_CHARACTERS)
        return [
            join_pieces(document, zip(own, made, strict=True))
            for document, own, made in zip(documents, pieces, found, strict=True)
        ]

    def _on_tokens(self, documents: Sequence[Document], layers: Layers) -> list[Document]:
        def analyse(parts: Sequence[Part]) -> list[Analysis]:
            return self._analyses([to_spacy(*part, vocab=self._pipeline.vocab) for part in parts], layers)

        parts = [
            [(document, group[0].start, group[-1].end) for group in sentence_groups(document)]
            for document in documents
        ]
        found = self._in_batches(parts, lambda part: part[2] - part[1], analyse, most=MOST_TOKENS)
        return [
            with_layers(document, made, layers=layers)
            for document, made in zip(documents, found, strict=True)
        ]

    def _in_batches(
        self,
        items: Sequence[Sequence[_T]],
        size: Callable[[_T], int],
        run: Callable[[Sequence[_T]], list[_R]],
        *,
        most: int,
    ) -> list[list[_R]]:
        """The results of each document's items; neighbours whose sizes add up to ``most`` run together."""
        flat = [item for of_document in items for item in of_document]
        made: list[_R] = []
        begin = total = 0
        for place, item in enumerate(flat, start=1):
            total += size(item)
            if place == len(flat) or total + size(flat[place]) > most:
                with self._memory.zone():
                    made += run(flat[begin:place])
                begin, total = place, 0
        results = iter(made)
        return [[next(results) for _ in of_document] for of_document in items]

    def _analyses(self, docs: list[Doc], layers: Layers) -> list[Analysis]:
        """Run the components that the layers need over documents with sentences."""
        tagged, parsed = Layer.TAGS in layers, Layer.DEPENDENCIES in layers
        # The parser respects sentences that are set, but marks them again from its trees.
        sentences = [sentence_spans(doc) for doc in docs]
        for component in [ENCODER] * (tagged or parsed) + [TAGGER] * tagged + [PARSER] * parsed:
            docs = self._through(component, docs)
        return [
            analysis_of(doc, spans, tagged=tagged, parsed=parsed)
            for doc, spans in zip(docs, sentences, strict=True)
        ]

    def _through(self, component: str, docs: list[Doc]) -> list[Doc]:
        if component not in self._pipeline.pipe_names:
            return docs
        run: Any = self._pipeline.get_pipe(component)
        run.set_annotations(docs, run.predict(docs))  # all at once: ``pipe`` would split them into four
        return docs


MOST_GROUPED = 300  # tokens in a group of more than one sentence


def sentence_groups(document: Document, *, most_tokens: int = MOST_GROUPED) -> list[list[Sentence]]:
    """The sentences in order, those of one paragraph together, up to ``most_tokens`` tokens."""
    groups: list[list[Sentence]] = []
    for sentence in document.sentences:
        if not len(sentence):
            continue
        before = groups[-1] if groups else None
        if before and sentence.end - before[0].start <= most_tokens:
            gap = document.tokens[before[-1].end - 1].end, document.tokens[sentence.start].start
            if BLANK_LINE.search(document.text[slice(*gap)]) is None:
                before.append(sentence)
                continue
        groups.append([sentence])
    return groups
