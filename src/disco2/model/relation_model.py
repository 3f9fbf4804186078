"""The paper's model, trained: scores of instances and the terms that they are sums of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from disco2.data import WITHOUT_SENSE, Instance
from disco2.data.batch import Batch, Example, Floats, Ints, collate
from disco2.features import FeatureExtractor
from disco2.features.extractor import UNKNOWN_WORD, ExampleEncoder
from disco2.model.network import batch_scores, forward, link_terms, matrices
from disco2.model.parameters import ModelSettings, Parameters, members_of
from disco2.threads import single_threaded
from disco2.vectors import WordVectors

BATCH_SIZE = 256  # what a batch needs stays in the processor's cache


@dataclass(frozen=True, slots=True)
class TextWord:
    """A word of an argument (1 or 2), its characters there, and its approximate share in the scores [Y]."""

    argument: int
    start: int
    end: int
    values: Floats


@dataclass(frozen=True, slots=True)
class Contributions:
    """The terms of one relation's scores in double precision, a column for each of the Y labels."""

    bias: Floats  # [Y]
    arguments: Floats  # [Y]
    links: tuple[Floats, ...]  # for each entity link [first mentions, second mentions, Y]: ``link_terms``
    link_totals: Floats  # [links, Y]: the sum over all pairs, listed or not
    columns: Ints  # [fired] of the features
    features: Floats  # [fired, Y]
    words: Sequence[TextWord] = ()  # of an encoder; not part of the sum


@dataclass(frozen=True, slots=True)
class Composition:
    """What the vectors at the nodes of a relation's trees are composed from; see ``composition``."""

    leaves: Floats  # [words of both arguments, K]
    U: Floats
    V: Floats | None


class LabelScorer(ABC):
    """What all models have in common."""

    labels: tuple[str, ...]

    @abstractmethod
    def scores(self, instances: Sequence[Instance]) -> Floats:
        """psi(y) for each instance and label, [n, Y]."""

    @cached_property
    def is_sense(self) -> NDArray[np.bool_]:
        """[Y]: which labels are senses; EntRel and NoRel are outcomes for running text alone."""
        return np.array([label not in WITHOUT_SENSE for label in self.labels], dtype=bool)

    def predict(self, instances: Sequence[Instance]) -> list[str]:
        """The best label of each instance."""
        return [self.labels[label] for label in self.scores(instances).argmax(axis=1)]


@dataclass(frozen=True)
class RelationModel(LabelScorer):
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
    def leaves(self) -> Floats:
        """[words + 1, K]: the word vectors, behind a row of zeros for unknown words."""
        return np.concatenate([np.zeros((1, self.settings.K), dtype=np.float32), self.vectors.matrix])

    @cached_property
    def example_encoder(self) -> ExampleEncoder:
        return ExampleEncoder(
            word_row=self._word_row,
            labels=self.labels,
            extractor=self.extractor,
            with_entities=self.settings.kind == "entities",
        )

    def scores(self, instances: Sequence[Instance], *, batch_size: int = BATCH_SIZE) -> Floats:
        return self.score_examples(self.example_encoder.encode(instances), batch_size=batch_size)

    @single_threaded()
    def score_examples(self, examples: Sequence[Example], *, batch_size: int = BATCH_SIZE) -> Floats:
        """The same for examples that are already encoded."""
        found = np.zeros((len(examples), len(self.labels)), dtype=self.parameters["b"].dtype)
        for begin in range(0, len(examples), batch_size):
            batch = collate(examples[begin : begin + batch_size])
            scores = batch_scores(self.settings, self.parameters, self.leaves, batch)
            found[begin : begin + batch.size] = scores
        return found

    def contributions(self, instance: Instance) -> Contributions:
        """Every term of every label's score for one relation: the means over all members."""
        return self.contributions_of(self.example_encoder.encode([instance])[0])

    def contributions_of(self, example: Example) -> Contributions:
        batch = collate([example])
        # Only the words that occur, so that the table of all words need not be converted.
        leaves = self.leaves[batch.words].astype(np.float64)
        batch = replace(batch, words=np.arange(len(leaves), dtype=np.int32))
        exact: Parameters = {name: value.astype(np.float64) for name, value in self.parameters.items()}
        members = members_of(self.settings, exact)
        with single_threaded():
            terms = [_member_terms(self.settings, member, leaves, batch) for member in members]
        arguments, links, totals = zip(*terms, strict=True)
        fired = example.features if self.settings.uses_features else example.features[:0]
        features = [member["beta"].T[fired] for member in members if "beta" in member]
        return Contributions(
            _mean([member["b"] for member in members]),
            _mean(arguments),
            tuple(map(_mean, zip(*links, strict=True))),
            _mean(totals),
            fired,
            _mean(features) if features else np.zeros((0, len(self.labels))),
        )

    def composition(self, instance: Instance) -> Composition | None:
        """The leaves, U and V of the first member; None if nothing is composed."""
        if not self.settings.composes:
            return None
        tokens = (*instance.relation.arg1.tokens, *instance.relation.arg2.tokens)
        rows = [self._word_row(form) for form in instance.document.words(tokens)]
        first = members_of(self.settings, self.parameters)[0]
        return Composition(self.leaves[rows], first["U"], first.get("V"))

    def _word_row(self, form: str) -> int:
        row = self.vectors.row(form)
        return UNKNOWN_WORD if row is None else row + 1


def _member_terms(
    settings: ModelSettings, parameters: Parameters, leaves: Floats, batch: Batch
) -> tuple[Floats, tuple[Floats, ...], Floats]:
    """The terms of arguments [Y] and of entity links, as in ``Contributions``."""
    done = forward(settings, parameters, leaves, batch)
    arguments: Floats = np.zeros(len(parameters["b"]))
    if done.arguments is not None:
        arguments = matrices(parameters, "A").scores(*done.arguments)[0]
    if done.composed is None or done.weights is None:
        return arguments, (), np.zeros((0, len(arguments)))
    B = matrices(parameters, "B")
    links = link_terms(B, done.composed.down, done.weights, batch)
    return arguments, links, done.weights * B.scores(*done.composed.entities)


def _mean(terms: Sequence[Floats]) -> Floats:
    return terms[0] if len(terms) == 1 else np.mean(terms, axis=0)
