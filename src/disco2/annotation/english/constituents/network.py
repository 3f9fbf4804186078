"""From the numbers of a batch of sentences to their labelled spans: embeddings, encoder, scorer, chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from disco2.annotation.english.constituents.chart import (
    all_spans,
    best_splits,
    read_trees,
    scores_by_length,
)
from disco2.annotation.english.constituents.encoder import BiLSTMLayer, Floats, Packing, Rows
from disco2.annotation.english.constituents.scorer import SpanScorer
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
    layers: tuple[BiLSTMLayer, ...]
    scorer: SpanScorer

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
            scorer=SpanScorer(*(kept[f"spans.{name}"] for name in SPAN_PARAMETERS)),
        )

    def embed(self, sentences: Sequence[WordNumbers]) -> Floats:
        """The inputs of the encoder, sentence by sentence: vector, word, sum of pieces, tag."""
        pieces = np.concatenate([sentence.pieces for sentence in sentences])
        return np.concatenate(
            [
                self.vectors[np.concatenate([sentence.vectors for sentence in sentences])],
                self.words[np.concatenate([sentence.words for sentence in sentences])],
                self.pieces[pieces].sum(axis=1),
                self.tags[np.concatenate([sentence.tags for sentence in sentences])],
            ],
            axis=1,
        )

    def encode(self, sentences: Sequence[WordNumbers]) -> tuple[Floats, Rows]:
        """What the encoder says at all places of all sentences, [N, 2 H], and each sentence's first place.

        The sentences are in falling order of length. Place k of a sentence is between its tokens k - 1 and k:
        the forward half is that of row k, the edge being row 0, and the backward half that of row k + 1.
        """
        packing = Packing.of([len(sentence.words) for sentence in sentences])
        tokens = self.embed(sentences)
        packed = np.empty_like(tokens)
        packed[packing.rows] = tokens
        for layer in self.layers:
            packed = layer.run(packed, packing)
        in_order = packed[packing.rows]
        half = in_order.shape[1] // 2
        encoded = np.concatenate([in_order[:-1, :half], in_order[1:, half:]], axis=1)
        return encoded, packing.offsets

    def parse(self, sentences: Sequence[WordNumbers]) -> list[list[NumberedSpan]]:
        """The labelled spans of each sentence's best tree; the sentences are in falling order of length."""
        encoded, offsets = self.encode(sentences)
        begins, finishes = self.scorer.places(encoded)
        lengths = np.array([len(sentence.words) - 2 for sentence in sentences], dtype=np.int32)
        spans = all_spans(lengths)
        first = offsets[spans.sentences]
        scores = self.scorer.best_scores(begins, finishes, first + spans.starts, first + spans.ends)
        np.maximum(scores, 0.0, out=scores)  # no label at all scores 0
        splits = best_splits(scores_by_length(spans, scores, lengths))
        chosen = read_trees(splits, lengths)
        first = offsets[chosen.sentences]
        labels, values = self.scorer.best_labels(begins, finishes, first + chosen.starts, first + chosen.ends)
        whole = chosen.ends - chosen.starts == lengths[chosen.sentences]
        kept = (values > 0.0) | whole  # a sentence as a whole always has a label
        found: list[list[NumberedSpan]] = [[] for _ in sentences]
        columns = (chosen.sentences, chosen.starts, chosen.ends, labels)
        for sentence, start, end, label in zip(*(column[kept].tolist() for column in columns), strict=True):
            found[sentence].append((start, end, label))
        return found
