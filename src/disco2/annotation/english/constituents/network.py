"""From the numbers of a batch of sentences to their labelled spans: embeddings, encoder, scorer, chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from disco2.annotation.english.constituents.batches import chart_portions
from disco2.annotation.english.constituents.chart import (
    Integers,
    all_spans,
    best_splits,
    read_trees,
    scores_by_length,
)
from disco2.annotation.english.constituents.encoder import BiLSTMLayer, Floats, Packing, PreparedLayer, Rows
from disco2.annotation.english.constituents.scorer import PreparedScorer, SpanScorer
from disco2.annotation.english.constituents.words import WordNumbers

NumberedSpan = tuple[int, int, int]  # start, end, label

SPAN_PARAMETERS = ("starts", "ends", "bias", "gain", "shift", "outputs", "output_bias")
LAYER_PARAMETERS = ("inputs", "recurrent", "bias")
LAYERS = 2
PARAMETERS = frozenset(
    ["words", "pieces", "tags"]
    + [f"encoder.{layer}.{name}" for layer in range(LAYERS) for name in LAYER_PARAMETERS]
    + [f"spans.{name}" for name in SPAN_PARAMETERS]
)


@dataclass(frozen=True)
class Network:
    """The parser's weights. ``vectors`` has a last row of zeros for words without a vector."""

    vectors: Floats  # [V + 1, 100]
    words: Floats
    pieces: Floats  # row 0 is zero
    tags: Floats
    layers: tuple[PreparedLayer, ...]
    scorer: PreparedScorer

    @classmethod
    def of(cls, parameters: Mapping[str, Floats], vectors: Floats) -> Network:
        """The network of named parameters, as they are stored."""
        kept = {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in parameters.items()}
        return cls(
            vectors=np.concatenate([vectors, np.zeros((1, vectors.shape[1]), dtype=np.float32)]),
            words=kept["words"],
            pieces=kept["pieces"],
            tags=kept["tags"],
            layers=tuple(
                BiLSTMLayer(*(kept[f"encoder.{layer}.{name}"] for name in LAYER_PARAMETERS)).prepared()
                for layer in range(LAYERS)
            ),
            scorer=SpanScorer(*(kept[f"spans.{name}"] for name in SPAN_PARAMETERS)).prepared(),
        )

    def embed(self, numbers: Integers) -> Floats:
        """The inputs of the encoder for rows of ``numbered``: vector, word, sum of pieces, tag."""
        return np.concatenate(
            [
                self.vectors[numbers[:, 0]],
                self.words[numbers[:, 1]],
                self.pieces[numbers[:, 3:]].sum(axis=1),
                self.tags[numbers[:, 2]],
            ],
            axis=1,
        )

    def encode(self, sentences: Sequence[WordNumbers]) -> tuple[Floats, Rows]:
        """What the encoder says at all places of all sentences, [N, 2 H], and each sentence's first place.

        The sentences are in falling order of length. Place k of a sentence is between its tokens k - 1 and k:
        the forward half is that of row k, the edge being row 0, and the backward half that of row k + 1. The
        row after a sentence's last place is no place.
        """
        packing = Packing.of([len(sentence.words) for sentence in sentences])
        distinct, numbers = distinct_rows(numbered(sentences))
        which = np.empty_like(packing.rows)
        which[packing.rows] = numbers
        lowest, highest = self.layers
        packed = lowest.run(self.embed(distinct), packing, which=which)
        packed = highest.run(packed, packing, to_the_end=False)
        in_order = packed[packing.rows]
        half = in_order.shape[1] // 2
        encoded = np.concatenate([in_order[:-1, :half], in_order[1:, half:]], axis=1)
        return encoded, packing.offsets

    def parse(self, sentences: Sequence[WordNumbers]) -> list[list[NumberedSpan]]:
        """The labelled spans of each sentence's best tree; the sentences are in falling order of length."""
        encoded, offsets = self.encode(sentences)
        begins, finishes = self.scorer.places(encoded)
        lengths = np.array([len(sentence.words) - 2 for sentence in sentences], dtype=np.int32)
        found: list[list[NumberedSpan]] = []
        for portion in chart_portions(lengths.tolist()):
            found += self._trees(begins, finishes, offsets[portion], lengths[portion])
        return found

    def _trees(
        self, begins: Floats, finishes: Floats, offsets: Rows, lengths: Integers
    ) -> list[list[NumberedSpan]]:
        """The labelled spans of sentences that share a chart."""
        spans = all_spans(lengths)
        first = offsets[spans.sentences]
        scores = self.scorer.best_scores(begins, finishes, first + spans.starts, first + spans.ends)
        np.maximum(scores, 0.0, out=scores)  # no label at all scores 0
        table = scores_by_length(spans, scores, lengths)
        chosen = read_trees(best_splits(table), lengths)
        sizes = chosen.ends - chosen.starts
        labelled = table[chosen.sentences, sizes, chosen.starts] > 0.0
        labelled |= sizes == lengths[chosen.sentences]  # a sentence as a whole always has a label
        owners, starts, ends = (column[labelled] for column in chosen)
        first = offsets[owners]
        labels = self.scorer.best_labels(begins, finishes, first + starts, first + ends)
        found: list[list[NumberedSpan]] = [[] for _ in lengths]
        columns = (column.tolist() for column in (owners, starts, ends, labels))
        for sentence, start, end, label in zip(*columns, strict=True):
            found[sentence].append((start, end, label))
        return found


def numbered(sentences: Sequence[WordNumbers]) -> Integers:
    """The numbers of all tokens, one after the other: vector, word, tag, pieces."""
    return np.concatenate(
        [
            np.column_stack([sentence.vectors, sentence.words, sentence.tags, sentence.pieces])
            for sentence in sentences
        ]
    )


def distinct_rows(table: Integers) -> tuple[Integers, Rows]:
    """The rows of a table without repetition, in order, and which of them each row is."""
    places: dict[bytes, int] = {}
    whole_row = np.dtype((np.void, table.itemsize * table.shape[1]))
    keys = np.ascontiguousarray(table).view(whole_row)[:, 0].tolist()
    which = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)
    firsts = np.empty(len(places), dtype=np.int64)
    firsts[which[::-1]] = np.arange(len(table))[::-1]
    return table[firsts], which
