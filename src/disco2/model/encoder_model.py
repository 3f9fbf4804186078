"""A fine-tuned transformer encoder with surface features; run by onnxruntime, without PyTorch.

A pair is one sequence of word pieces, ``[CLS] arg1 [SEP] arg2 [SEP]``. With h_t [H] the encoder's last state
of piece t, m1 and m2 the means of h_t over the pieces of either argument, and phi [n] the surface features
that fire, the scores of all labels are

    psi = W [m1; m2] + psi_E + F phi + b        W [Y, 2H], F [Y, n], b [Y]

psi_E is the term of the entities that both arguments mention, where the model has one (``entity_term``).

The labels are senses of level 2. Which direction a sense has (level 3: is Arg2 the reason or the result?) is
read from the same means, where the model was trained for it: the scores of all directions are
delta = D [m1; m2; 1], D [directions, 2H + 1], and a softmax among those of one sense gives probabilities.

Every pair is run alone. The int8 encoder scales its activations by their range over the whole input, so that
in a batch the scores of a pair would depend on the other pairs; alone they never do. Without padding
this is also about as fast as batches.

ONNX files that could do more than multiply matrices are refused. A file is read as Protocol Buffers wire
format, as far as needed: its nodes, its tensors, its functions. Allowed are the operators of an exported
encoder, with all weights inside the file. Loops, branches, functions, operators of other domains and weights
in other files are refused before onnxruntime sees it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disco2.data import Instance
from disco2.data.batch import Floats, Ints
from disco2.errors import BundleError
from disco2.features import FeatureExtractor
from disco2.model.entity_term import EntityTerm, Roles, average_pieces, find_roles
from disco2.model.parameters import ModelSettings
from disco2.model.relation_model import Composition, Contributions, LabelScorer, TextWord

# The operators that an encoder of the BERT family, quantised or not, is exported with.
_OPERATORS = """
Abs Add And Cast Clip Concat Constant ConstantOfShape Cos CumSum DequantizeLinear Div DynamicQuantizeLinear
Equal Erf Exp Expand Flatten Gather Gelu Gemm Greater GreaterOrEqual Identity IsNaN LayerNormalization Less
LessOrEqual Log MatMul MatMulInteger Max Min Mod Mul Neg Not Or Pow QuantizeLinear Range Reciprocal ReduceMean
ReduceSum Reshape Shape Sigmoid Sin Slice Softmax Split Sqrt Squeeze Sub Tanh Tile Transpose Unsqueeze Where
"""
OPERATORS = frozenset(_OPERATORS.split())
DOMAINS = ("", "ai.onnx")

# Fields of onnx.proto, by the numbers on the way to them.
Path = tuple[int, ...]
GRAPH: Path = (7,)
NODE = (*GRAPH, 1)
OPERATOR, ATTRIBUTE, DOMAIN = (*NODE, 4), (*NODE, 5), (*NODE, 7)
TENSORS = ((*GRAPH, 5), (*ATTRIBUTE, 5), (*ATTRIBUTE, 10))
MESSAGES = frozenset({GRAPH, NODE, ATTRIBUTE, *TENSORS})  # what is looked into
REFUSED = {
    (25,): "defines functions",
    (*GRAPH, 15): "has sparse weights",
    (*ATTRIBUTE, 6): "has loops or branches",
    (*ATTRIBUTE, 11): "has loops or branches",
    **{(*tensor, 13): "keeps weights in another file" for tensor in TENSORS},
}
LOCATIONS = frozenset((*tensor, 14) for tensor in TENSORS)  # 0: inside the file


def check_onnx(content: bytes) -> None:
    """Raise ValueError unless the file is a plain encoder with its weights inside."""
    counts: Counter[Path] = Counter()
    for path, value in _fields(content):
        counts[path] += 1
        if path in REFUSED:
            raise ValueError(f"its encoder {REFUSED[path]}, which is not allowed")
        if path in LOCATIONS and value:
            raise ValueError("its encoder keeps weights in another file, which is not allowed")
        if path in (OPERATOR, DOMAIN):
            name = value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)
            if name not in (OPERATORS if path == OPERATOR else DOMAINS):
                raise ValueError(f"its encoder uses the operator or domain {name}, which is not allowed")
    if counts[GRAPH] != 1 or not 0 < counts[NODE] <= min(counts[OPERATOR], 100_000):
        raise ValueError("its encoder is not an ONNX model of a usable size")


def _fields(content: bytes, path: Path = ()) -> Iterator[tuple[Path, int | bytes]]:
    """The fields of a message, and before them those of the messages in it: paths, and a number or bytes."""
    place, end = 0, len(content)
    while place < end:
        key, place = _varint(content, place)
        here, kind = (*path, key >> 3), key & 7
        if kind == 0 and here not in MESSAGES:
            value, place = _varint(content, place)
            yield here, value
            continue
        if kind == 2:
            size, place = _varint(content, place)
        elif kind in (1, 5) and here not in MESSAGES:
            size = 8 if kind == 1 else 4
        else:
            raise ValueError("its encoder is not an ONNX model")
        if place + size > end:
            raise ValueError("its encoder is not a whole ONNX model")
        inside = content[place : place + size]
        if here in MESSAGES:
            yield from _fields(inside, here)
        yield here, inside
        place += size


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(content) and shift < 64:
        byte = content[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
    raise ValueError("its encoder is not a whole ONNX model")


if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

INPUTS = ("input_ids", "token_type_ids")
OUTPUT = "last_hidden_state"
MASKS = ("[MASK]", "<mask>")  # BERT's and RoBERTa's
DIRECTION = "direction "  # opens the names of parameters
LEAST_DIRECTION = 0.6  # probability from which a direction is given


def import_onnxruntime() -> Any:
    """onnxruntime without telemetry, which its official builds from 1.29 on send to Microsoft by default."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read when it is imported
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime


class ReadPair(NamedTuple):
    """What the encoder makes of two texts."""

    pieces: Encoding
    pooled: Floats  # [m1; m2], [2H]
    roles: Roles | None
    means: Floats  # [leaves, H]: the mean states of words; none without roles


@dataclass(frozen=True)
class EncoderModel(LabelScorer):
    """Everything that is needed to score pairs of texts.

    ``onnx`` is the encoder with the inputs ``INPUTS`` [1, T], or the first of them where it has no token
    types, and the output ``OUTPUT`` [1, T, H]; ``tokenizer`` is the content of its ``tokenizer.json``.
    Without an ``extractor`` only the texts of the arguments are read, and an instance needs no annotation.
    """

    settings: ModelSettings
    labels: tuple[str, ...]
    onnx: bytes
    tokenizer: bytes
    weights: Floats  # [Y, 2H]
    bias: Floats  # [Y]
    extractor: FeatureExtractor | None = None
    feature_weights: Floats | None = None  # [Y, n]
    entities: EntityTerm | None = None
    directions: Mapping[str, Floats] = field(default_factory=dict)  # sense of level 3 -> row of D, [2H + 1]

    @property
    def parameters(self) -> dict[str, Floats]:
        """What a bundle stores beside the encoder."""
        found = {"W": self.weights, "b": self.bias}
        if self.feature_weights is not None:
            found["F"] = self.feature_weights
        if self.entities is not None:
            found |= self.entities.parameters
        return found | {f"{DIRECTION}{sense}": row for sense, row in self.directions.items()}

    def __post_init__(self) -> None:
        """Raise ValueError where the parts don't fit each other, BundleError where they can't be used."""
        check_onnx(self.onnx)
        size = self.weights.shape[-1] // 2
        if self.weights.shape != (len(self.labels), 2 * size) or self.bias.shape != (len(self.labels),):
            raise ValueError("its weights do not fit its labels")
        width = None if self.extractor is None else (len(self.labels), self.extractor.width)
        if width != (None if self.feature_weights is None else self.feature_weights.shape):
            raise ValueError("its weights do not fit its features")
        if bool(self.settings.entity_size) != (self.entities is not None):
            raise ValueError("its entity term does not fit its settings")
        if self.entities is not None:
            self.entities.check_shapes(labels=len(self.labels), size=size)
        if any(row.shape != (2 * size + 1,) for row in self.directions.values()):
            raise ValueError("its directions do not fit its weights")
        fits = self.pool([("It rained.", "We left.")]).shape == (1, 2 * size)
        if not fits:
            raise ValueError("its encoder does not fit its weights")

    def read(
        self, pairs: Sequence[tuple[str, str]], roles: Sequence[Roles | None] = ()
    ) -> Iterator[ReadPair]:
        """Run the encoder on pairs of texts, each alone; with ``roles`` their words are read too."""
        with _report_faults("tokenizer fails"):
            encodings = self._tokenizer.encode_batch(list(pairs))
        for pieces, own in zip(encodings, roles or [None] * len(pairs), strict=True):
            states = self._states(pieces)
            means = states[:0]
            if own is not None:
                means = average_pieces(own, pieces.sequence_ids, pieces.offsets, states)
            yield ReadPair(pieces, _pool(states, pieces), own, means)

    def pool(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """[m1; m2] of pairs of texts, [n, 2H]: what W is multiplied with."""
        return np.array([one.pooled for one in self.read(pairs)], dtype=np.float32)

    def scores(self, instances: Sequence[Instance]) -> Floats:
        return self.scores_and_directions(instances)[0]

    def scores_and_directions(self, instances: Sequence[Instance]) -> tuple[Floats, list[dict[str, str]]]:
        """psi, [n, Y], and for each instance the direction of every sense that has a clear one."""
        found: Floats = np.zeros((len(instances), len(self.labels)), dtype=np.float32)
        directions: list[dict[str, str]] = []
        linked: dict[int, tuple[Roles, Floats]] = {}
        for row, read in enumerate(self._read_instances(instances)):
            found[row] = self.weights @ read.pooled + self.bias
            directions.append(self._choose_directions(read.pooled))
            if read.roles is not None:
                linked[row] = read.roles, read.means
        if linked and self.entities is not None:
            found[list(linked)] += self.entities.scores(*zip(*linked.values(), strict=True))
        if self.extractor is not None and self.feature_weights is not None:
            for row, fired in enumerate(self.extractor.transform(instances)):
                found[row] += self.feature_weights[:, fired].sum(axis=1)
        return found, directions

    def contributions(self, instance: Instance) -> Contributions:
        """Every term of every label's score for one relation, and the share of its words."""
        (read,) = self._read_instances([instance])
        first, second = np.hsplit(self.weights.astype(np.float64) * read.pooled.astype(np.float64), 2)
        text = first.sum(axis=1) + second.sum(axis=1)
        links: tuple[Floats, ...] = ()
        totals: Floats = np.zeros((0, len(self.labels)))
        features = totals
        fired: Ints = np.zeros(0, dtype=np.int32)
        if read.roles is not None and self.entities is not None:
            links, totals = self.entities.pair_terms(read.roles, read.means)
        if self.extractor is not None and self.feature_weights is not None:
            (fired,) = self.extractor.transform([instance])
            features = self.feature_weights.astype(np.float64).T[fired]
        bias = self.bias.astype(np.float64)
        return Contributions(bias, text, links, totals, fired, features, self._word_terms(read))

    def composition(self, instance: Instance) -> Composition | None:
        """The leaves, U and V of the entity term; None where the arguments share no entity."""
        (read,) = self._read_instances([instance])
        if read.roles is None or self.entities is None:
            return None
        return Composition(self.entities.leaves(read.means), self.entities.U, self.entities.V)

    def _read_instances(self, instances: Sequence[Instance]) -> Iterator[ReadPair]:
        return self.read(pair_texts(instances), find_roles(instances) if self.entities else ())

    def _choose_directions(self, pooled: Floats) -> dict[str, str]:
        """Sense of level 2 -> its most probable direction, where that is clear."""
        scores: dict[str, dict[str, float]] = {}
        for name, row in self.directions.items():
            sense, _, direction = name.rpartition(".")
            scores.setdefault(sense, {})[direction] = float(row[:-1] @ pooled + row[-1])
        found = {}
        for sense, of_sense in scores.items():
            best = max(of_sense, key=of_sense.__getitem__)
            if sum(np.exp(score - of_sense[best]) for score in of_sense.values()) * LEAST_DIRECTION <= 1:
                found[sense] = best
        return found

    def _word_terms(self, read: ReadPair) -> list[TextWord]:
        """By how much each word's replacement by the mask lowers the scores (occlusion).

        An approximation: words interact, so that these values don't add up to the score. Without a mask in
        the vocabulary there are none.
        """
        pieces, whole = read.pieces, self.weights @ read.pooled + self.bias
        known = [number for name in MASKS if (number := self._tokenizer.token_to_id(name)) is not None]
        if not known:
            return []
        words: dict[tuple[int, int], list[int]] = {}  # argument and number of a word -> its pieces
        for place, (sequence, word) in enumerate(zip(pieces.sequence_ids, pieces.word_ids, strict=True)):
            if sequence is not None and word is not None:
                words.setdefault((sequence, word), []).append(place)
        found = []
        for (sequence, _), places in words.items():
            ids = [known[0] if place in places else piece for place, piece in enumerate(pieces.ids)]
            hidden = self.weights @ _pool(self._states(pieces, ids), pieces) + self.bias
            start, end = pieces.offsets[places[0]][0], pieces.offsets[places[-1]][1]
            found.append(TextWord(sequence + 1, start, end, whole - hidden))
        return found

    def _states(self, pieces: Encoding, ids: Sequence[int] | None = None) -> Floats:
        """h, [T, H]."""
        numbers = argument_numbers(pieces.sequence_ids)
        given = {
            "input_ids": np.array([pieces.ids if ids is None else ids], dtype=np.int64),
            "token_type_ids": (numbers[None, :] == 2).astype(np.int64),
        }
        with _report_faults("encoder can't be run"):
            inputs = {one.name: given[one.name] for one in self._session.get_inputs()}
            states: Floats = self._session.run([OUTPUT], inputs)[0][0]
        return states

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return read_tokenizer(self.tokenizer, most_pieces=self.settings.pieces)

    @cached_property
    def _session(self) -> Any:
        onnxruntime = import_onnxruntime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # errors are raised; its log would print names of nodes as they are
        return onnxruntime.InferenceSession(self.onnx, options, providers=["CPUExecutionProvider"])

    def __reduce__(self) -> tuple[Any, ...]:
        """Sessions can't be copied to another process; a copy opens its own."""
        return EncoderModel, tuple(getattr(self, field.name) for field in fields(self))


def pair_texts(instances: Sequence[Instance]) -> list[tuple[str, str]]:
    """The texts of both arguments of each instance."""
    return [(one.relation.arg1.text, one.relation.arg2.text) for one in instances]


def _pool(states: Floats, pieces: Encoding) -> Floats:
    """[T, H] -> [m1; m2], [2H]; zeros for an argument without a piece.

    A special piece counts for the argument before it, the first one for arg1.
    """
    numbers = argument_numbers(pieces.sequence_ids)
    sides = [states[numbers == number] for number in (1, 2)]
    return np.concatenate([side.sum(axis=0) / max(1, len(side)) for side in sides])


@contextmanager
def _report_faults(what: str) -> Iterator[None]:
    """Raise BundleError for what tokenizers and onnxruntime raise, which have no error classes in common.

    A panic of compiled code is not even an Exception.
    """
    try:
        yield
    except (BundleError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        hint = "Copy the model again from where it came from."
        raise BundleError(f"The model's {what}: {error}.", hint=hint) from error


def read_tokenizer(content: bytes, *, most_pieces: int) -> Tokenizer:
    """The tokenizer of a ``tokenizer.json``, for pairs; BundleError where it is none."""
    from tokenizers import Tokenizer

    with _report_faults("tokenizer can't be read"):
        found = Tokenizer.from_str(json.dumps(json.loads(content)))
    found.no_padding()
    found.enable_truncation(most_pieces, strategy="longest_first")
    return found


def argument_numbers(sequences: Sequence[int | None]) -> NDArray[np.int64]:
    """1 or 2 for each piece, from the tokenizer's 0 and 1, or None for special pieces."""
    numbers = np.array([0 if sequence is None else sequence + 1 for sequence in sequences], dtype=np.int64)
    found: NDArray[np.int64] = np.maximum.accumulate(np.maximum(numbers, 1))
    return found
