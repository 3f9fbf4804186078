"""The first layers of the built-in annotator: tokens and sentences, tags, dependencies.

spaCy components, trained on GUM. spaCy gets a text paragraph by paragraph, so no sentence crosses a paragraph
break; a single line end counts as a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
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
from disco2.annotation.text import BLANK_LINE, LINE_END, split_text
from disco2.data import Document, Sentence, Token

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_T = TypeVar("_T")

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

    def split(self, documents: Sequence[Document], *, line_ends: bool = False) -> list[Document]:
        """Documents with tokens get new sentences, without their old trees and dependencies.

        A sentence ends at the end of a paragraph, and with ``line_ends`` at the end of a line.
        """
        parting = LINE_END if line_ends else BLANK_LINE
        places = [paragraph_tokens(document, parting=parting) for document in documents]
        parts = [
            (document, *span)
            for document, of_document in zip(documents, places, strict=True)
            for span in of_document
        ]
        spans: list[list[tuple[int, int]]] = []
        for batch in _batches(parts, [end - start for _, start, end in parts], most=MOST_TOKENS):
            with self._memory.zone():
                docs = [
                    to_spacy(document, self._pipeline.vocab, start, end, split=False)
                    for document, start, end in batch
                ]
                spans += map(sentence_spans, self._through(SENTENCES, docs))
        found = iter(spans)
        return [
            replace(
                document,
                sentences=tuple(
                    Sentence(first + start, first + end)
                    for first, _ in of_document
                    for start, end in next(found)
                ),
            )
            for document, of_document in zip(documents, places, strict=True)
        ]

    def _from_texts(self, documents: Sequence[Document], layers: Layers) -> list[Document]:
        pieces = [split_text(document.text) for document in documents]
        texts = [piece.text for of_document in pieces for piece in of_document]
        analyses: Iterator[Analysis] = iter(
            [
                analysis
                for batch in _batches(texts, [len(text) for text in texts], most=MOST_CHARACTERS)
                for analysis in self._analyses_of_texts(batch, layers)
            ]
        )
        return [
            join_pieces(document, [(piece, next(analyses)) for piece in of_document])
            for document, of_document in zip(documents, pieces, strict=True)
        ]

    def _on_tokens(self, documents: Sequence[Document], layers: Layers) -> list[Document]:
        groups = [sentence_groups(document) for document in documents]
        parts = [
            (document, group[0].start, group[-1].end)
            for document, of_document in zip(documents, groups, strict=True)
            for group in of_document
        ]
        analyses: Iterator[Analysis] = iter(
            [
                analysis
                for batch in _batches(parts, [end - start for _, start, end in parts], most=MOST_TOKENS)
                for analysis in self._analyses_of_parts(batch, layers)
            ]
        )
        return [
            with_layers(document, [next(analyses) for _ in of_document], layers=layers)
            for document, of_document in zip(documents, groups, strict=True)
        ]

    def _analyses_of_texts(self, texts: Sequence[str], layers: Layers) -> list[Analysis]:
        with self._memory.zone():
            docs = self._through(SENTENCES, [self._tokenised(text) for text in texts])
            return self._analyses(docs, layers)

    def _analyses_of_parts(
        self, parts: Sequence[tuple[Document, int, int]], layers: Layers
    ) -> list[Analysis]:
        with self._memory.zone():
            vocab = self._pipeline.vocab
            return self._analyses([to_spacy(document, vocab, *span) for document, *span in parts], layers)

    def _tokenised(self, text: str) -> Doc:
        from disco2.annotation.english.spacy_english import stopped_spans

        doc = self._pipeline.make_doc(text)
        wholes = [doc.char_span(start, end) for start, end in stopped_spans(text)]
        if any(whole is not None and len(whole) > 1 for whole in wholes):
            with doc.retokenize() as retokenizer:
                for whole in wholes:
                    if whole is not None and len(whole) > 1:
                        retokenizer.merge(whole)
        return doc

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


def _batches(items: Sequence[_T], sizes: Sequence[int], *, most: int) -> Iterator[Sequence[_T]]:
    """Neighbouring items whose sizes add up to at most ``most``, or a single larger one."""
    begin = total = 0
    for place, size in enumerate(sizes):
        if place > begin and total + size > most:
            yield items[begin:place]
            begin, total = place, 0
        total += size
    if begin < len(items):
        yield items[begin:]


LONGEST_PARAGRAPH = 2_000  # tokens of a paragraph that are processed together

_SENTENCE_END = re.compile(r"[.!?…]+")


def paragraph_tokens(
    document: Document, *, parting: re.Pattern[str], longest: int = LONGEST_PARAGRAPH
) -> list[tuple[int, int]]:
    """Spans of tokens that cover the document, in order, cut where ``parting`` matches between two tokens.

    A very long paragraph is cut too: after the last sentence end that fits, else at the limit.
    """
    tokens = document.tokens
    cuts = [
        place
        for place, (token, follower) in enumerate(pairwise(tokens), start=1)
        if follower.start - token.end and parting.search(document.text, token.end, follower.start)
    ]
    return [
        span
        for start, end in pairwise([0, *cuts, len(tokens)])
        for span in _parts(tokens, start, end, longest)
    ]


def _parts(tokens: tuple[Token, ...], start: int, end: int, longest: int) -> list[tuple[int, int]]:
    parts: list[tuple[int, int]] = []
    while end - start > longest:
        ends = range(start + longest, start, -1)
        cut = next((place for place in ends if _SENTENCE_END.fullmatch(tokens[place - 1].text)), ends[0])
        parts.append((start, cut))
        start = cut
    return [*parts, (start, end)] if start < end else parts


MOST_GROUPED = 300  # tokens in a group of more than one sentence


def sentence_groups(document: Document, *, most_tokens: int = MOST_GROUPED) -> list[list[Sentence]]:
    """The sentences in order, those of one paragraph together, up to ``most_tokens`` tokens."""
    groups: list[list[Sentence]] = []
    for sentence in document.sentences:
        if not len(sentence):
            continue
        if groups and _belongs(document, groups[-1], sentence, most_tokens):
            groups[-1].append(sentence)
        else:
            groups.append([sentence])
    return groups


def _belongs(document: Document, group: list[Sentence], sentence: Sentence, most_tokens: int) -> bool:
    if sentence.end - group[0].start > most_tokens:
        return False
    between = document.text[document.tokens[group[-1].end - 1].end : document.tokens[sentence.start].start]
    return BLANK_LINE.search(between) is None
