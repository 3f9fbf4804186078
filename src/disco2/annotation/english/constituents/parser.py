"""The built-in constituency parser as an annotator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.english.constituents.batches import batches_by_length
from disco2.annotation.english.constituents.network import Network
from disco2.annotation.english.constituents.spans import spans_to_tree
from disco2.annotation.english.constituents.storage import SHIPPED, StoredParser, read_parser
from disco2.annotation.english.weights_digest import named, weights_digest
from disco2.annotation.layers import join_constituents
from disco2.annotation.text import pieces_of
from disco2.errors import BundleError
from disco2.records import Constituents, Document
from disco2.vectors import WordVectors
from disco2.vectors.shipped import read_shipped

LONGEST = 200  # tokens parsed as one sentence; the longest that the parser learnt from has 110
SHORTEST_PIECE = 40  # tokens of a longer sentence that are parsed on their own

Tagged = tuple[Sequence[str], Sequence[str]]  # the words and tags of a sentence


class SpanParser:
    """Gives each sentence the tree of phrases whose labelled spans score best together.

    A sentence of more than ``LONGEST`` tokens is cut at punctuation into pieces, which are parsed on
    their own and joined under a ROOT; so memory is bounded, and time linear in the length.
    """

    NAME: ClassVar = "disco2 span parser"
    REQUIRES: ClassVar[Mapping[Layer, Layers]] = {Layer.CONSTITUENTS: frozenset({Layer.TOKENS, Layer.TAGS})}

    def __init__(self, stored: StoredParser, vectors: WordVectors, *, digest: str = "") -> None:
        self._digest = digest
        self._labels = stored.labels
        self._lexicon = stored.lexicon(vectors)
        self._network = Network.of(stored.parameters, vectors.matrix)

    @classmethod
    def load(cls, folder: Path = SHIPPED, *, vectors: WordVectors | None = None) -> SpanParser:
        """The parser of a folder, the shipped one unless told; ``vectors`` saves reading them again."""
        stored = read_parser(folder)
        vectors = vectors if vectors is not None else read_shipped()
        if vectors.dimensions != stored.vector_size:
            raise BundleError(
                f"It needs word vectors of {stored.vector_size} dimensions, not {vectors.dimensions}.",
                where=str(folder),
                hint="Use the vectors that it was trained with.",
            )
        return cls(stored, vectors, digest=weights_digest(folder))

    @property
    def name(self) -> str:
        return named(self.NAME, self._digest)

    @property
    def fingerprint(self) -> str:
        """What tells its results from those of others, for the cache; empty without weights from a folder."""
        return self.name if self._digest else ""

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return self.REQUIRES

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        """The documents with new trees on all sentences."""
        if Layer.CONSTITUENTS not in layers:
            return list(documents)
        tagged = [
            _tagged(document, sentence.start, sentence.end)
            for document in documents
            for sentence in document.sentences
        ]
        trees = iter(self.parse(tagged))
        return [
            replace(
                document,
                sentences=tuple(
                    [replace(sentence, constituents=next(trees)) for sentence in document.sentences]
                ),
            )
            for document in documents
        ]

    def parse(self, sentences: Sequence[Tagged]) -> list[Constituents | None]:
        """The trees of sentences given as words and tags; None for a sentence without words."""
        cuts = [pieces_of(tags, longest=LONGEST, shortest=SHORTEST_PIECE) for _, tags in sentences]
        pieces = [
            (words[start:end], tags[start:end])
            for (words, tags), spans in zip(sentences, cuts, strict=True)
            for start, end in spans
            if end > start
        ]
        trees: list[Constituents | None] = [None] * len(pieces)
        for batch in batches_by_length([len(words) for words, _ in pieces]):
            numbers = [self._lexicon.numbers(*pieces[index]) for index in batch]
            for index, spans in zip(batch, self._network.parse(numbers), strict=True):
                named = [(start, end, self._labels[label]) for start, end, label in spans]
                trees[index] = spans_to_tree(named, pieces[index][1])
        in_order = iter(trees)
        return [
            _joined([next(in_order) for _ in spans]) if tags else None
            for (_, tags), spans in zip(sentences, cuts, strict=True)
        ]


def _tagged(document: Document, start: int, end: int) -> Tagged:
    tokens = document.tokens[start:end]
    return [token.text for token in tokens], [token.tag for token in tokens]


def _joined(trees: Sequence[Constituents | None]) -> Constituents:
    return join_constituents([tree for tree in trees if tree is not None])
