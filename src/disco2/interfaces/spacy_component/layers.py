"""spaCy's documents -> ours: the layers that a pipeline made, and built-in ones for those it lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.english.annotators import EnglishOnDemand
from disco2.annotation.heads import head_of_span
from disco2.annotation.layers import with_constituents
from disco2.annotation.spacy_documents import analysis_of, chains_of, sentence_spans, trees_of
from disco2.annotation.spacy_pipeline import mentions_of
from disco2.annotation.text import INVISIBLE, SPACE
from disco2.data import Dirt, Document, Mention, Sentence, Token
from disco2.errors import LayerError

if TYPE_CHECKING:
    from spacy.tokens import Doc

AUTO, BUILT_IN, BENEPAR = "auto", "built-in", "benepar"
CONSTITUENTS = (AUTO, BUILT_IN, BENEPAR)

_SYNTAX = frozenset({Layer.TAGS, Layer.DEPENDENCIES, Layer.CONSTITUENTS})
_VISIBLE = re.compile(rf"[^{SPACE}{INVISIBLE}]")


@dataclass
class _Work:
    """A document on its way, and who made its layers."""

    doc: Doc
    words: Sequence[bool]  # which of spaCy's tokens are ours
    document: Document
    split: bool  # whether the sentences are the pipeline's
    missing: set[Layer] = field(default_factory=set)
    makers: list[str] = field(default_factory=list)


class SpacyLayers:
    """Reads spaCy's documents, many at a time.

    Tokens are those of the document, but for whitespace. Sentences, tags and dependencies are taken where
    the pipeline made them, constituents from benepar, chains from span groups or coreferee; all else is made
    by the built-in English annotators, on the document's own tokens.
    """

    def __init__(
        self,
        *,
        pipeline: str,
        paragraphs: str,
        constituents: str,
        coref_prefix: str,
        english: EnglishOnDemand,
    ) -> None:
        self._pipeline = pipeline
        self._line_ends = paragraphs == "line"
        self._constituents = constituents
        self._prefix = coref_prefix
        self._english = english

    def documents(self, docs: Sequence[Doc]) -> list[tuple[Document, str]]:
        """For each of spaCy's documents ours with all layers, and who made them."""
        works = [self._begun(doc, number) for number, doc in enumerate(docs)]
        self._split([work for work in works if work.document.tokens and not work.document.sentences])
        for work in works:
            self._take_tree(work)
        self._make(works, lambda work: frozenset(work.missing & _SYNTAX))
        for work in works:
            self._take_chains(work)
        self._make(works, lambda work: frozenset(work.missing))
        return [(work.document, " + ".join(dict.fromkeys(work.makers))) for work in works]

    def _begun(self, doc: Doc, number: int) -> _Work:
        """Tokens, and the sentences, tags and dependencies that are there."""
        words = [_VISIBLE.search(token.text) is not None for token in doc]
        split = len(doc) > 0 and doc.has_annotation("SENT_START")
        tagged, parsed = (
            all(key or not word for key, word in zip(doc.to_array(name).tolist(), words, strict=True))
            for name in ("TAG", "DEP")
        )
        parsed = parsed and split
        found = analysis_of(doc, sentence_spans(doc), tagged=tagged, parsed=parsed, words=words)
        text = doc.text
        tags = found.tags or [""] * len(found.starts)
        tokens = tuple(
            Token(text[start:end], start, end, tag)
            for start, end, tag in zip(found.starts, found.ends, tags, strict=True)
        )
        sentences = tuple(
            Sentence(start, end, dependencies=tree)
            for (start, end), tree in zip(found.sentences, found.dependencies, strict=True)
        )
        there = {Layer.TAGS: tagged, Layer.DEPENDENCIES: parsed, Layer.COREFERENCE: False}
        document = Document(f"doc{number}", text, tokens, sentences if split else ())
        missing = {layer for layer, is_there in there.items() if not is_there}
        return _Work(doc, words, document, split, missing, [self._pipeline])

    def _split(self, works: Sequence[_Work]) -> None:
        found = (
            self._english.split([work.document for work in works], line_ends=self._line_ends) if works else []
        )
        for work, document in zip(works, found, strict=True):
            work.document = document
            work.makers += self._english.names(frozenset({Layer.TOKENS}))

    def _take_tree(self, work: _Work) -> None:
        """benepar's constituents; a sentence that has none waits for the built-in parser."""
        document = work.document
        if self._constituents != BUILT_IN:
            trees = trees_of(work.doc, sentence_spans(work.doc)) if work.split else []
            if trees:
                document = with_constituents(document, trees, where=document.id, dirt=Dirt())
        lacking = [sentence.constituents is None for sentence in document.sentences]
        if not all(lacking):
            work.makers.append(BENEPAR)
            if Layer.TAGS in work.missing:  # tags that came with the trees go again: one tagger for all words
                document = replace(document, tokens=work.document.tokens)
        elif lacking and self._constituents == BENEPAR:
            raise LayerError(
                "The document has no constituents from benepar.",
                where=document.text[:40],
                hint='Add benepar to the pipeline before disco2, or leave constituents at "auto".',
            )
        if any(lacking):
            work.missing.add(Layer.CONSTITUENTS)
        work.document = document

    def _take_chains(self, work: _Work) -> None:
        """Chains from span groups, else from coreferee; heads come from the dependencies."""
        found = self._span_group_mentions(work)
        maker = "span groups"
        if found is None:
            found, maker = self._coreferee_mentions(work), "coreferee"
        if found is not None:
            work.document = replace(work.document, mentions=tuple(found))
            work.missing.discard(Layer.COREFERENCE)
            work.makers.append(maker)

    def _span_group_mentions(self, work: _Work) -> list[Mention] | None:
        chains = chains_of(work.doc, prefix=self._prefix)
        if chains is None:
            return None
        before = [0, *accumulate(work.words)]
        spans = dict.fromkeys((before[start], before[end], chain) for start, end, chain in chains)
        return [
            Mention(start, end, head_of_span(work.document, start, end), chain)
            for start, end, chain in spans
            if start < end
        ]

    def _coreferee_mentions(self, work: _Work) -> list[Mention] | None:
        if not work.doc.has_extension("coref_chains") or work.doc._.coref_chains is None:
            return None
        before = [0, *accumulate(work.words)]
        return [
            Mention(before[one.start], before[one.end], before[one.head], one.chain)
            for one in mentions_of(work.doc)
            if before[one.start] < before[one.end]
        ]

    def _make(self, works: Iterable[_Work], wanted: Callable[[_Work], Layers]) -> None:
        """Built-in layers, all documents that lack the same ones together."""
        groups: dict[Layers, list[_Work]] = {}
        for work in works:
            if work.document.tokens and (layers := wanted(work)):
                groups.setdefault(layers, []).append(work)
        for layers, members in groups.items():
            made = self._english.annotate([work.document for work in members], layers=layers)
            for work, document in zip(members, made, strict=True):
                work.document = _with_own_trees(document, work.document)
                work.missing -= layers
                work.makers += self._english.names(layers)


def _with_own_trees(document: Document, before: Document) -> Document:
    """The document, but with the constituents that were there before."""
    sentences = tuple(
        replace(now, constituents=old.constituents) if old.constituents is not None else now
        for now, old in zip(document.sentences, before.sentences, strict=True)
    )
    return replace(document, sentences=sentences)
