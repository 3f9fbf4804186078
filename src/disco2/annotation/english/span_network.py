"""From the numbers of a batch of sentences to their labelled spans: embeddings, encoder, scorer, chart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int32]
Floats = NDArray[np.float32]
Rows = NDArray[np.int64]

# A bidirectional LSTM in NumPy (Hochreiter & Schmidhuber 1997; Graves & Schmidhuber 2005).
#
#     i, f, o = sigmoid(W x_t + U h_{t-1} + b),  g = tanh(the same with its own W, U, b)
#     c_t = f c_{t-1} + i g,   h_t = o tanh(c_t)
#
# A batch holds sentences in descending order of length, packed by position: all first tokens, then the second
# tokens of those that have one, and so on. No padding is computed, and both directions run as one: the
# backward one over the same packing of the reversed sentences.
#
# W x is computed for several steps at once: enough for the product to run at full speed, few enough to stay
# in the cache.

TOGETHER = 512  # tokens whose inputs are multiplied together


@dataclass(frozen=True, slots=True)
class Packing:
    """Where the tokens of a batch are.

    ``rows[offsets[b] + t]`` is the packed place of token t of sentence b; ``turned[p]`` the place of the
    token that stands at packed place p when all sentences are reversed; ``active[t]`` how many sentences have
    a token t.
    """

    rows: Rows
    offsets: Rows
    turned: Rows
    active: Rows

    @classmethod
    def of(cls, lengths: Sequence[int]) -> Packing:
        """The packing of sentences in descending order of length."""
        sizes = np.asarray(lengths, dtype=np.int64)
        steps = np.arange(sizes[0])
        active = (sizes[None, :] > steps[:, None]).sum(axis=1)
        firsts = np.concatenate([[0], np.cumsum(active)[:-1]])
        offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        sentence = np.repeat(np.arange(len(sizes)), sizes)
        position = np.arange(sizes.sum()) - offsets[sentence]
        rows = firsts[position] + sentence
        turned = np.empty_like(rows)
        turned[rows] = firsts[sizes[sentence] - 1 - position] + sentence
        return cls(rows, offsets, turned, active)

    def groups(self, *, to_the_end: bool) -> Iterator[list[tuple[int, int]]]:
        """Neighbouring steps with about ``TOGETHER`` tokens; a step is its first packed place and its tokens.

        Without ``to_the_end``, the last token of each sentence is skipped.
        """
        group: list[tuple[int, int]] = []
        tokens = first = 0
        for count, following in pairwise([*self.active.tolist(), 0]):
            taking_part = count if to_the_end else following
            if taking_part:
                group.append((first, taking_part))
                tokens += taking_part
            if tokens >= TOGETHER or (group and not following):
                yield group
                group, tokens = [], 0
            first += count


@dataclass(frozen=True, slots=True)
class BiLSTMLayer:
    """One layer; the first axis of all weights is the direction: forward, backward."""

    inputs: Floats  # [2, D, 4 H]
    recurrent: Floats  # [2, H, 4 H]
    bias: Floats  # [2, 1, 4 H]

    @classmethod
    def of(cls, inputs: Floats, recurrent: Floats, bias: Floats) -> BiLSTMLayer:
        """The layer with stored weights, which have the gates in the order i, f, g, o, and a bias [2, 4 H].

        Here the order is i, f, o, g. sigmoid(z) = (1 + tanh(z / 2)) / 2, so with the weights of i, f and o
        halved one tanh serves all gates; and as ``run`` has 2 h and not h, U is halved once more.
        """
        return cls(_run_gates(inputs), _run_gates(0.5 * recurrent), _run_gates(bias[:, None, :]))

    def run(
        self, tokens: Floats, packing: Packing, *, which: Rows | None = None, to_the_end: bool = True
    ) -> Floats:
        """Packed inputs [N, D] -> packed outputs [N, 2 H].

        With ``which``, the input at packed place p is row which[p] of ``tokens``, so that equal inputs are
        multiplied once. Without ``to_the_end``, each direction skips its last token, whose half of
        the outputs is 0.
        """
        hidden, most, places = self.recurrent.shape[1], int(packing.active[0]), len(packing.rows)
        known = None if which is None else np.matmul(tokens, self.inputs) + self.bias
        doubled = np.zeros((2, places, hidden), dtype=np.float32)  # 2 h
        cell = state = np.zeros((2, most, hidden), dtype=np.float32)  # c and 2 h of the step before
        for group in packing.groups(to_the_end=to_the_end):
            rows = np.concatenate([np.arange(first, first + count) for first, count in group])
            inputs = np.empty((2, len(rows), 4 * hidden), dtype=np.float32)
            for direction, at in enumerate((rows, packing.turned[rows])):
                if known is None or which is None:
                    np.matmul(tokens[at], self.inputs[direction], out=inputs[direction])
                else:
                    np.take(known[direction], which[at], axis=0, out=inputs[direction], mode="clip")
            if known is None:
                inputs += self.bias
            done = 0
            for first, count in group:
                gates = inputs[:, done : done + count]
                if first:
                    gates += np.matmul(state[:, :count], self.recurrent)
                np.tanh(gates, out=gates)
                gates[:, :, : 3 * hidden] += 1.0
                i, f, o, g = (gates[:, :, gate * hidden : (gate + 1) * hidden] for gate in range(4))
                cell = cell[:, :count] * f
                i *= g
                cell += i
                cell *= 0.5
                state = o * np.tanh(cell)
                doubled[:, first : first + count] = state
                done += count
        outputs = np.empty((places, 2 * hidden), dtype=np.float32)
        np.multiply(doubled[0], 0.5, out=outputs[:, :hidden])
        np.multiply(doubled[1][packing.turned], 0.5, out=outputs[:, hidden:])
        return outputs


def _run_gates(weights: Floats) -> Floats:
    """[..., 4 H] with gates i, f, g, o -> the same with gates i / 2, f / 2, o / 2, g."""
    i, f, g, o = np.split(weights, 4, axis=-1)
    return np.ascontiguousarray(np.concatenate([0.5 * i, 0.5 * f, 0.5 * o, g], axis=-1), dtype=np.float32)


# Scores of all labels of a span, from the encoder's output at the two places where it begins and ends.
#
# A sentence of n tokens has n + 1 places between and around its tokens. With p_i what the encoder's forward
# half has read before place i and its backward half after it, the scores of the labels of the span (i, j) are
#
#     O relu(g z + t) + c,   z = norm(A p_i + E p_j + b),   norm: less the mean, by the standard deviation.
#
# The first layer is linear, so it is computed for places and not for spans: the differences of the two halves
# of Stern, Andreas & Klein (2017) are the special case A = -E.
#
# Little is left to compute for each span. relu(x + t) = max(x, -t) + t, so with s the sign
# of g
#
#     O relu(g z + t) + c = (O |g|) max(s z, -t / |g|) + (c + O t):
#
# the sign goes into A, E and b, the magnitude into O, and the passes for gain, shift and relu are one
# maximum. The mean is linear too: it is taken off A, E and b beforehand.

EPSILON = 1e-5
CHUNK = 2048  # spans scored together: their hidden layer stays in the processor's cache


@dataclass(frozen=True, slots=True)
class SpanScorer:
    """The weights as they are used; A, E and b have means of 0 over M."""

    sides: Floats  # s A and s E, [H2, 2 M]; H2 is twice the encoder's hidden size, M the hidden size here
    bias: Floats  # s b, [M]
    least: Floats  # -t / |g|, [M]
    outputs: Floats  # O |g|, [L, M] for L labels
    output_bias: Floats  # c + O t, [L]

    @classmethod
    def of(cls, *stored: Floats) -> SpanScorer:
        """The scorer with stored weights: A, E [H2, M], b, g, t [M], O [L, M] and c [L].

        A unit without gain is a constant in all scores.
        """
        starts, ends, bias, gain, shift, outputs, output_bias = stored
        sign = np.where(gain < 0.0, np.float32(-1.0), np.float32(1.0))
        magnitude = np.abs(gain)
        gainless = magnitude == 0.0
        starts = starts - starts.mean(axis=1, keepdims=True)
        ends = ends - ends.mean(axis=1, keepdims=True)
        return cls(
            sides=np.concatenate([starts * sign, ends * sign], axis=1),
            bias=(bias - bias.mean()) * sign,
            least=np.where(gainless, np.float32(0.0), -shift / np.where(gainless, 1.0, magnitude)),
            outputs=outputs * magnitude,
            output_bias=output_bias + outputs @ np.where(gainless, np.maximum(shift, 0.0), shift),
        )

    def places(self, encoded: Floats) -> tuple[Floats, Floats]:
        """s (A p + b) and s E p for all places [N, H2]."""
        size = len(self.bias)
        sides = encoded @ self.sides
        begins, finishes = sides[:, :size], sides[:, size:]
        begins += self.bias
        return begins, finishes

    def scores(self, begins: Floats, finishes: Floats, starts: Rows, ends: Rows) -> Iterator[Floats]:
        """Scores [L, S] of chunks of the spans between the places ``starts`` and ``ends``."""
        for first in range(0, len(starts), CHUNK):
            hidden = np.take(begins, starts[first : first + CHUNK], axis=0, mode="clip")  # no bounds to check
            hidden += np.take(finishes, ends[first : first + CHUNK], axis=0, mode="clip")
            variance = np.einsum("sm,sm->s", hidden, hidden) / np.float32(hidden.shape[1])
            hidden *= (1.0 / np.sqrt(variance + np.float32(EPSILON)))[:, None]
            np.maximum(hidden, self.least, out=hidden)
            found = self.outputs @ hidden.T
            found += self.output_bias[:, None]
            yield found


# The best binary tree over scored spans (CKY), for a batch of sentences at once.
#
# The score of a tree is the sum of the scores of its spans. With s(i, j) that of the best label of a span,
# which is 0 for no label at all,
#
#     best(i, j) = s(i, j) + max over k of best(i, k) + best(k, j),    best(i, i + 1) = s(i, i + 1).
#
# All spans of one length, in all sentences, are one step. The chart is stored twice, by start and by
# end, with the length as last axis: then the two halves of all ways to split a span are two plain slices.

LARGEST_CHART = 100_000  # square of the longest length times sentences, in one chart


class Spans(NamedTuple):
    """Spans of a batch of sentences."""

    sentences: Integers
    starts: Integers
    ends: Integers  # exclusive


def all_spans(lengths: Integers) -> Spans:
    """Every span of every sentence, sentence by sentence, in order of start and end."""
    of_length = cache(np.triu_indices)
    found = [of_length(length) for length in lengths.tolist()]
    counts = [len(starts) for starts, _ in found]
    starts, ends = np.concatenate(found, axis=1).astype(np.int32)
    return Spans(np.repeat(np.arange(len(lengths), dtype=np.int32), counts), starts, ends + 1)


def scores_by_length(spans: Spans, scores: NDArray[np.float32], lengths: Integers) -> NDArray[np.float32]:
    """``table[b, l, i]`` is the score of the span of l tokens from i on in sentence b."""
    longest = int(lengths.max())
    table = np.zeros((len(lengths), longest + 1, longest), dtype=np.float32)
    table[spans.sentences, spans.ends - spans.starts, spans.starts] = scores
    return table


def best_splits(table: NDArray[np.float32]) -> NDArray[np.int16]:
    """For each span of ``table[b, l, i]``, the length of the left half of its best split.

    Spans that reach beyond a sentence's end are computed too; no span within it is made of them.
    """
    batch, _, longest = table.shape
    from_start = np.zeros((batch, longest + 1, longest + 1), dtype=np.float32)  # [b, start, length]
    to_end = np.zeros((batch, longest + 1, longest + 1), dtype=np.float32)  # [b, end, length]
    splits = np.zeros(table.shape, dtype=np.int16)
    from_start[:, :longest, 1] = table[:, 1]
    to_end[:, 1:, 1] = table[:, 1]
    for length in range(2, longest + 1):
        count = longest - length + 1
        left = from_start[:, :count, 1:length]
        right = to_end[:, length:, length - 1 : 0 : -1]
        both = left + right  # [b, start, length of the left half - 1]
        choice = both.argmax(axis=2)
        best = np.take_along_axis(both, choice[:, :, None], axis=2)[:, :, 0] + table[:, length, :count]
        splits[:, length, :count] = choice + 1
        from_start[:, :count, length] = best
        to_end[:, length:, length] = best
    return splits


def read_trees(splits: NDArray[np.int16], lengths: Integers) -> Spans:
    """The spans of each sentence's best tree, 2 n - 1 for n tokens; level by level, all sentences at once."""
    sentences = np.arange(len(lengths), dtype=np.int32)
    starts, ends = np.zeros_like(sentences), lengths.astype(np.int32)
    levels: list[Spans] = []
    while len(sentences):
        levels.append(Spans(sentences, starts, ends))
        wide = ends - starts > 1
        sentences, starts, ends = sentences[wide], starts[wide], ends[wide]
        middles = starts + splits[sentences, ends - starts, starts]
        sentences = np.concatenate([sentences, sentences])
        starts, ends = np.concatenate([starts, middles]), np.concatenate([middles, ends])
    return Spans(*(np.concatenate(columns) for columns in zip(*levels, strict=True)))


def portions(lengths: Sequence[int], most: Callable[[int], int]) -> Iterator[slice]:
    """Neighbours of lengths in descending order, at most ``most(the longest)`` of them, or one, together."""
    first = 0
    while first < len(lengths):
        size = max(1, most(lengths[first]))
        yield slice(first, first + size)
        first += size


# From word numbers to labelled spans. The numbers of a sentence of n tokens, the two edges included, are a
# table [n, 3 + pieces] of rows of the tables below: vector, word, tag, then prefixes, suffixes and shape.
# A rare piece has row 0, and the row after the last word vector is zero.
VECTOR, WORD, TAG, PIECES = 0, 1, 2, slice(3, None)

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
                BiLSTMLayer.of(*(kept[f"encoder.{layer}.{name}"] for name in LAYER_PARAMETERS))
                for layer in range(LAYERS)
            ),
            scorer=SpanScorer.of(*(kept[f"spans.{name}"] for name in SPAN_PARAMETERS)),
        )

    def embed(self, numbers: Integers) -> Floats:
        """The inputs of the encoder: vector, word, sum of pieces, tag."""
        return np.concatenate(
            [
                self.vectors[numbers[:, VECTOR]],
                self.words[numbers[:, WORD]],
                self.pieces[numbers[:, PIECES]].sum(axis=1),
                self.tags[numbers[:, TAG]],
            ],
            axis=1,
        )

    def encode(self, sentences: Sequence[Integers]) -> tuple[Floats, Rows]:
        """The encoder's output at all places of all sentences, [N, 2 H], and each sentence's first place.

        The sentences are in descending order of length. Place k of a sentence is between its tokens k - 1
        and k: the forward half is that of row k, the edge being row 0, and the backward half that of row
        k + 1. The row after a sentence's last place is not a place.
        """
        packing = Packing.of([len(sentence) for sentence in sentences])
        distinct, numbers = distinct_rows(np.concatenate(sentences))
        which = np.empty_like(packing.rows)
        which[packing.rows] = numbers
        lowest, highest = self.layers
        packed = lowest.run(self.embed(distinct), packing, which=which)
        packed = highest.run(packed, packing, to_the_end=False)
        in_order = packed[packing.rows]
        half = in_order.shape[1] // 2
        encoded = np.concatenate([in_order[:-1, :half], in_order[1:, half:]], axis=1)
        return encoded, packing.offsets

    def parse(self, sentences: Sequence[Integers]) -> list[list[NumberedSpan]]:
        """The labelled spans of the best trees of sentences in descending order of length."""
        encoded, offsets = self.encode(sentences)
        begins, finishes = self.scorer.places(encoded)
        lengths = np.array([len(sentence) - 2 for sentence in sentences], dtype=np.int32)
        found: list[list[NumberedSpan]] = []
        for portion in portions(lengths.tolist(), lambda longest: LARGEST_CHART // longest**2):
            found += self._trees(begins, finishes, offsets[portion], lengths[portion])
        return found

    def _trees(
        self, begins: Floats, finishes: Floats, offsets: Rows, lengths: Integers
    ) -> list[list[NumberedSpan]]:
        """The labelled spans of sentences that share a chart."""
        spans = all_spans(lengths)
        first = offsets[spans.sentences]
        chunks = self.scorer.scores(begins, finishes, first + spans.starts, first + spans.ends)
        scores = np.concatenate([chunk.max(axis=0) for chunk in chunks])
        np.maximum(scores, 0.0, out=scores)  # no label at all scores 0
        table = scores_by_length(spans, scores, lengths)
        chosen = read_trees(best_splits(table), lengths)
        sizes = chosen.ends - chosen.starts
        labelled = table[chosen.sentences, sizes, chosen.starts] > 0.0
        labelled |= sizes == lengths[chosen.sentences]  # the whole sentence always has a label
        owners, starts, ends = (column[labelled] for column in chosen)
        first = offsets[owners]
        chunks = self.scorer.scores(begins, finishes, first + starts, first + ends)
        labels = np.concatenate([chunk.argmax(axis=0) for chunk in chunks])
        found: list[list[NumberedSpan]] = [[] for _ in lengths]
        columns = (column.tolist() for column in (owners, starts, ends, labels))
        for sentence, start, end, label in zip(*columns, strict=True):
            found[sentence].append((start, end, label))
        return found


def distinct_rows(table: Integers) -> tuple[Integers, Rows]:
    """The rows of a table without repetition, in order, and which of them each row is."""
    places: dict[bytes, int] = {}
    whole_row = np.dtype((np.void, table.itemsize * table.shape[1]))
    keys = np.ascontiguousarray(table).view(whole_row)[:, 0].tolist()
    which = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)
    return table[np.unique(which, return_index=True)[1]], which
