"""The built-in constituency parser: words to numbers, parsing, reading and writing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby
from typing import ClassVar

import numpy as np
from safetensors.numpy import load

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.english.span_network import Floats, Integers, Network, portions
from disco2.annotation.layers import join_constituents
from disco2.annotation.text import split_long_sentence
from disco2.data import Constituents, Document
from disco2.vectors import WordVectors

# Words and tags -> the numbers that a sentence's encoder starts from.

UNKNOWN, OPENING, CLOSING = 0, 1, 2  # rows of the tables of words and tags: any other, and a sentence's edges
RESERVED = 3
PREFIXES = (1, 2, 3)
SUFFIXES = (1, 2, 3, 4)
REMEMBERED = 20_000  # words whose numbers are kept; more than most texts have


@dataclass(frozen=True)
class Lexicon:
    """The words, pieces of words and tags that the parser knows, and the vectors it looks words up in."""

    vectors: WordVectors
    words: tuple[str, ...]  # lower case
    pieces: tuple[str, ...]
    tags: tuple[str, ...]

    @cached_property
    def _word_rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words, RESERVED)}

    @cached_property
    def _piece_rows(self) -> dict[str, int]:
        return {piece: row for row, piece in enumerate(self.pieces, 1)}

    @cached_property
    def tag_rows(self) -> dict[str, int]:
        """The rows of the tags."""
        return {tag: row for row, tag in enumerate(self.tags, RESERVED)}

    @cached_property
    def _rows(self) -> Callable[[str], tuple[int, int, tuple[int, ...]]]:
        return lru_cache(maxsize=REMEMBERED)(self._look_up)

    def numbers(self, words: Sequence[str], tags: Sequence[str]) -> Integers:
        """The numbers of one sentence of n - 2 words, as ``span_network`` describes them."""
        no_pieces = (0,) * (len(PREFIXES) + len(SUFFIXES) + 1)
        none = len(self.vectors)
        rows = [(none, OPENING, OPENING, *no_pieces)]
        for word, tag in zip(words, tags, strict=True):
            vector, number, found = self._rows(word)
            rows.append((vector, number, self.tag_rows.get(tag, UNKNOWN), *found))
        rows.append((none, CLOSING, CLOSING, *no_pieces))
        return np.array(rows, dtype=np.int32)

    def _look_up(self, word: str) -> tuple[int, int, tuple[int, ...]]:
        """Vector, word, pieces."""
        vector = self.vectors.row(word)
        return (
            len(self.vectors) if vector is None else vector,
            self._word_rows.get(word.lower(), UNKNOWN),
            tuple(self._piece_rows.get(piece, 0) for piece in pieces(word)),
        )


def pieces(word: str) -> list[str]:
    """Prefixes, suffixes and shape, each marked with its type."""
    lower = word.lower()
    return [
        *(f"{lower[:size]}-" for size in PREFIXES),
        *(f"-{lower[-size:]}" for size in SUFFIXES),
        shape(word),
    ]


def shape(word: str) -> str:
    """Classes of characters, runs of three or more cut to two: ``McDonald's`` is ``=XxXxx'x``."""
    runs = groupby(map(_class, word[:20]))
    return "=" + "".join("".join(list(run)[:2]) for _, run in runs)


def _class(character: str) -> str:
    if character.isdigit():
        return "d"
    if character.isalpha():
        return "x" if character.islower() else "X"
    return character


# Trees as labelled spans, one span for each unary chain, and back. A chain of phrases over the same tokens is
# one span whose label names them from the outermost to the innermost: ``S+VP``. So a tree of phrases is a set
# of spans that do not cross, each with one label.

CHAIN = "+"

LabelledSpan = tuple[int, int, str]  # start, end (exclusive), chain of labels


def spans_to_tree(spans: Iterable[LabelledSpan], tags: Sequence[str]) -> Constituents:
    """The tree of spans that do not cross, one of which covers the sentence, over tokens with these tags."""
    labels: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    parents: list[int] = []
    open_nodes: list[int] = []  # from node 0 down to the last node made
    for start, end, chain in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_nodes and ends[open_nodes[-1]] <= start:
            open_nodes.pop()
        for label in chain.split(CHAIN):
            parents.append(open_nodes[-1] if open_nodes else -1)
            open_nodes.append(len(labels))
            labels.append(label)
            starts.append(start)
            ends.append(end)
    return Constituents(tuple(labels), tuple(starts), tuple(ends), tuple(parents), tuple(tags))


# Sentences of similar length are parsed together. The encoder is fastest with about a hundred sentences. The
# chart takes fewer, because each costs as much as the longest of them.

LARGEST_BATCH = 128  # sentences encoded at once
MOST_TOKENS = 3_000  # encoded at once, counting each sentence as long as the longest


def batches_by_length(lengths: Sequence[int]) -> list[list[int]]:
    """The indices of sentences in descending order of length, in batches for the encoder."""
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    descending = [lengths[index] for index in order]
    found = portions(descending, lambda longest: min(LARGEST_BATCH, MOST_TOKENS // longest))
    return [order[portion] for portion in found]


# The parser. On disk it has weights in half precision, and the vocabulary.

FORMAT = 1
WEIGHTS_FILE = "weights.safetensors"
VOCABULARY_FILE = "vocabulary.json"
LONGEST = 200  # tokens parsed as one sentence; the longest in training has 110
SHORTEST_PIECE = 40  # shortest part of a longer sentence

Tagged = tuple[Sequence[str], Sequence[str]]  # the words and tags of a sentence


class SpanParser:
    """Gives each sentence the tree of phrases whose labelled spans score best together.

    A sentence of more than ``LONGEST`` tokens is cut at punctuation into pieces, which are parsed one by one
    and joined under a ROOT. So memory is bounded, and time is linear in the length.
    """

    NAME: ClassVar = "disco2 span parser"
    REQUIRES: ClassVar[Mapping[Layer, Layers]] = {Layer.CONSTITUENTS: frozenset({Layer.TOKENS, Layer.TAGS})}

    def __init__(self, parameters: Mapping[str, Floats], labels: Sequence[str], lexicon: Lexicon) -> None:
        """``labels`` are chains, such as S+VP. Raises ValueError if the weights don't fit them."""
        own = sum(parameters[name].shape[-1] for name in ("words", "pieces", "tags"))
        dimensions = parameters["encoder.0.inputs"].shape[1] - own
        if (dimensions, len(parameters["spans.outputs"])) != (lexicon.vectors.dimensions, len(labels)):
            raise ValueError(f"it needs other labels, or word vectors of {dimensions} dimensions")
        self._labels = labels
        self._lexicon = lexicon
        self._network = Network.of(parameters, lexicon.vectors.matrix)

    @classmethod
    def load(cls, files: Mapping[str, bytes], vectors: Callable[[], WordVectors]) -> SpanParser:
        """The parser in the files of its folder; an exception of any kind if they do not fit."""
        parameters = {name: value.astype(np.float32) for name, value in load(files[WEIGHTS_FILE]).items()}
        vocabulary = json.loads(files[VOCABULARY_FILE])
        if vocabulary["format"] != FORMAT:
            raise ValueError(f"it has format {vocabulary['format']}, not {FORMAT}")
        words, pieces, tags = (tuple(vocabulary[name]) for name in ("words", "pieces", "tags"))
        return cls(parameters, tuple(vocabulary["labels"]), Lexicon(vectors(), words, pieces, tags))

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        """The documents with new trees on all sentences."""
        if Layer.CONSTITUENTS not in layers:
            return list(documents)
        tokens = [one.tokens[part.start : part.end] for one in documents for part in one.sentences]
        tagged = [([token.text for token in some], [token.tag for token in some]) for some in tokens]
        trees = iter(self.parse(tagged))
        return [
            replace(one, sentences=tuple([replace(part, constituents=next(trees)) for part in one.sentences]))
            for one in documents
        ]

    def parse(self, sentences: Sequence[Tagged]) -> list[Constituents | None]:
        """The trees of sentences given as words and tags; None for a sentence without words."""
        cuts = [split_long_sentence(tags, longest=LONGEST, shortest=SHORTEST_PIECE) for _, tags in sentences]
        pieces = [
            (words[start:end], tags[start:end])
            for (words, tags), spans in zip(sentences, cuts, strict=True)
            for start, end in spans
            if end > start
        ]
        trees: dict[int, Constituents] = {}
        for batch in batches_by_length([len(words) for words, _ in pieces]):
            numbers = [self._lexicon.numbers(*pieces[index]) for index in batch]
            for index, spans in zip(batch, self._network.parse(numbers), strict=True):
                named = [(start, end, self._labels[label]) for start, end, label in spans]
                trees[index] = spans_to_tree(named, pieces[index][1])
        in_order = iter(sorted(trees))
        return [
            join_constituents([trees[next(in_order)] for _ in spans]) if tags else None
            for (_, tags), spans in zip(sentences, cuts, strict=True)
        ]
