"""A trained model: scores of instances, their terms, and the vectors at the nodes of its trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from disco2.data import WITHOUT_SENSE, Instance
from disco2.data.batch import Batch, EncodedArgument, Example, Floats, Ints, MentionGroups, collate
from disco2.features import FeatureExtractor
from disco2.features.encoder import UNKNOWN_WORD, Encoder
from disco2.model.bilinear import link_terms
from disco2.model.composition import compose_downward, compose_upward
from disco2.model.encoder_model import EncoderModel
from disco2.model.network import batch_scores, forward
from disco2.model.parameters import Parameters, argument_matrices, entity_matrices, members_of
from disco2.model.settings import ModelSettings
from disco2.threads import single_threaded
from disco2.vectors import WordVectors

BATCH_SIZE = 256  # what a batch needs stays in the processor's cache


@dataclass(frozen=True)
class RelationModel:
    """Everything that is needed to score relations.

    If the settings have several ``members``, every parameter has a leading axis of that length, and the
    scores are the mean over it; see ``network.batch_scores``.
    """

    settings: ModelSettings
    labels: tuple[str, ...]
    vectors: WordVectors
    extractor: FeatureExtractor | None
    parameters: Parameters

    @cached_property
    def is_sense(self) -> NDArray[np.bool_]:
        """[Y]: which labels are senses; EntRel and NoRel are outcomes for running text alone."""
        return np.array([label not in WITHOUT_SENSE for label in self.labels], dtype=bool)

    @cached_property
    def leaves(self) -> Floats:
        """[words + 1, K]: the word vectors, behind a row of zeros for unknown words."""
        return np.concatenate([np.zeros((1, self.settings.K), dtype=np.float32), self.vectors.matrix])

    @cached_property
    def encoder(self) -> Encoder:
        return Encoder(
            word_row=self._word_row,
            labels=self.labels,
            extractor=self.extractor,
            with_entities=self.settings.kind == "entities",
        )

    def scores(self, instances: Sequence[Instance], *, batch_size: int = BATCH_SIZE) -> Floats:
        """psi(y) for each instance and label, [n, Y]."""
        return self.score_examples(self.encoder.encode(instances), batch_size=batch_size)

    def score_examples(self, examples: Sequence[Example], *, batch_size: int = BATCH_SIZE) -> Floats:
        """The same for examples that are already encoded."""
        found = np.zeros((len(examples), len(self.labels)), dtype=self.parameters["b"].dtype)
        with single_threaded():
            for begin in range(0, len(examples), batch_size):
                batch = collate(examples[begin : begin + batch_size])
                scores = batch_scores(self.settings, self.parameters, self.leaves, batch)
                found[begin : begin + batch.size] = scores
        return found

    def predict(self, instances: Sequence[Instance]) -> list[str]:
        """The best label of each instance."""
        return [self.labels[label] for label in self.scores(instances).argmax(axis=1)]

    def _word_row(self, form: str) -> int:
        row = self.vectors.row(form)
        return UNKNOWN_WORD if row is None else row + 1


@dataclass(frozen=True, slots=True)
class Contributions:
    """The terms of one relation's scores, a column for each of the Y labels."""

    scores: Floats  # [Y] in double precision
    bias: Floats  # [Y]
    arguments: Floats  # [Y]
    # For each entity link [first mentions, second mentions, Y], see ``bilinear.link_terms``.
    links: tuple[Floats, ...]
    link_totals: Floats  # [links, Y]: the sum over all pairs, listed or not
    features: Floats  # [fired, Y], in the order of the example's features


def contributions(model: RelationModel, example: Example) -> Contributions:
    """Every term of every label's score for one relation."""
    batch = collate([example])
    # Only the words that occur, so that the table of all words need not be converted.
    leaves = model.leaves[batch.words].astype(np.float64)
    batch = replace(batch, words=np.arange(len(leaves), dtype=np.int32))
    parameters: Parameters = {name: value.astype(np.float64) for name, value in model.parameters.items()}
    with single_threaded():
        members = [
            _of_member(model.settings, member, leaves, batch, example)
            for member in members_of(model.settings, parameters)
        ]
    return Contributions(
        _mean([member.scores for member in members]),
        _mean([member.bias for member in members]),
        _mean([member.arguments for member in members]),
        tuple(map(_mean, zip(*(member.links for member in members), strict=True))),
        _mean([member.link_totals for member in members]),
        _mean([member.features for member in members]),
    )


def _of_member(
    settings: ModelSettings, parameters: Parameters, leaves: Floats, batch: Batch, example: Example
) -> Contributions:
    done = forward(settings, parameters, leaves, batch)
    labels = len(parameters["b"])
    arguments: Floats = np.zeros(labels)
    if done.arguments is not None:
        arguments = argument_matrices(parameters).scores(*done.arguments)[0]
    links: tuple[Floats, ...] = ()
    totals: Floats = np.zeros((0, labels))
    composed, weights = done.composed, done.weights
    if composed and weights is not None and composed.down is not None and composed.entities is not None:
        matrices = entity_matrices(parameters)
        links = link_terms(matrices, composed.down, weights, batch)
        totals = weights * matrices.scores(*composed.entities)
    features: Floats = np.zeros((0, labels))
    if done.features is not None:
        features = parameters["beta"].T[example.features]
    return Contributions(done.scores[0], parameters["b"], arguments, links, totals, features)


def _mean(terms: Sequence[Floats]) -> Floats:
    return terms[0] if len(terms) == 1 else np.mean(terms, axis=0)


DownwardVectors = dict[int, Floats]  # node -> d, from the root down


@dataclass(frozen=True, slots=True)
class NodeVectors:
    """In double precision; nodes are numbered as in each argument's tree."""

    up: tuple[Floats, Floats]  # [2n-1, K] of each argument
    down: tuple[tuple[DownwardVectors, DownwardVectors], ...]  # for each link, on the way to its mentions


def node_vectors(
    model: RelationModel | EncoderModel, instance: Instance, *, member: int = 0
) -> NodeVectors | None:
    """u of every node, d of every node on the way to an aligned mention. None if nothing is composed."""
    if isinstance(model, EncoderModel):
        read = None if model.entities is None else next(model.read_roles([instance]))
        if read is None or model.entities is None:
            return None
        leaves = np.tanh(read.means @ model.entities.P.T)
        return _compose(read.roles.example, leaves, model.entities.U, model.entities.V)
    if not model.settings.composes:
        return None
    example = model.encoder.encode([instance])[0]
    stacked: Parameters = {name: model.parameters[name] for name in ("U", "V") if name in model.parameters}
    parameters = members_of(model.settings, stacked)[member]
    words = np.concatenate([example.first.words, example.second.words])
    return _compose(example, model.leaves[words], parameters["U"], parameters.get("V"))


def _compose(example: Example, leaves: Floats, U: Floats, V: Floats | None) -> NodeVectors:
    batch = collate([example])
    with single_threaded():
        up = compose_upward(batch, leaves.astype(np.float64), U.astype(np.float64))
        of_nodes = (
            up[_upward_rows(batch, example.first, int(batch.first_roots[0]))],
            up[_upward_rows(batch, example.second, int(batch.second_roots[0]))],
        )
        if not example.links or V is None:
            return NodeVectors(of_nodes, ())
        down = compose_downward(batch, up, V.astype(np.float64))
    ways = zip(
        _ways(batch, down, example.first, [link.first for link in example.links], batch.first_mentions),
        _ways(batch, down, example.second, [link.second for link in example.links], batch.second_mentions),
        strict=True,
    )
    return NodeVectors(of_nodes, tuple(ways))


def _upward_rows(batch: Batch, argument: EncodedArgument, root: int) -> Ints:
    """[2n-1]: the row of each node, read off from the root down, where parents are met before children."""
    leaves, leaves_of_batch = len(argument.words), len(batch.words)
    rows = np.empty(2 * leaves - 1, dtype=np.int32)
    rows[-1] = root
    for inner in range(leaves - 2, -1, -1):
        place = rows[leaves + inner] - leaves_of_batch
        rows[argument.left[inner]] = batch.left[place]
        rows[argument.right[inner]] = batch.right[place]
    return rows


def _ways(
    batch: Batch, down: Floats, argument: EncodedArgument, links: list[Ints], mentions: MentionGroups
) -> list[DownwardVectors]:
    """For each link the vectors on the way from the root to its mentions in one argument."""
    found = []
    paths, root, roots = argument.downward, 2 * len(argument.words) - 2, len(batch.down_roots)
    for places, rows in zip(links, np.split(mentions.rows, mentions.starts[1:]), strict=True):
        way: dict[int, int] = {}
        for place, row in zip(places.tolist(), rows.tolist(), strict=True):
            while paths is not None and place and int(paths.nodes[place - 1]) not in way:
                way[int(paths.nodes[place - 1])] = row
                place, row = int(paths.parents[place - 1]), int(batch.down_parents[row - roots])
            if not place:
                way[root] = row
        found.append({node: down[way[node]] for node in sorted(way, reverse=True)})
    return found
