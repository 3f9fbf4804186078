"""The terms of a relation's scores, for every outcome at once, with names that a person can read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from disco2.data import Argument, Document, Instance, Mention
from disco2.data.tree import ArgumentTree, EntityLink, MentionIndex, argument_tree, entity_links, mention_node
from disco2.errors import InputError
from disco2.features import FeatureExtractor
from disco2.inference.feature_names import readable_feature
from disco2.inference.prediction import Prediction, Span
from disco2.inference.shared import mention_span
from disco2.model import AnyModel, EncoderModel
from disco2.model.arrays import Floats
from disco2.model.contributions import contributions


@dataclass(frozen=True, slots=True)
class NamedPair:
    """An aligned pair of mentions, and what it adds to each outcome's score."""

    chain: str
    arg1: Span
    arg2: Span
    values: Floats  # [Y]


@dataclass(frozen=True, slots=True)
class UnlistedPairs:
    """The pairs of a long chain that are not listed, and what they add together."""

    chain: str
    count: int
    values: Floats  # [Y]


@dataclass(frozen=True, slots=True)
class NamedFeature:
    """A surface feature that fires, and what it adds."""

    name: str
    values: Floats  # [Y]


@dataclass(frozen=True, slots=True)
class NamedWord:
    """A word of an argument (1 or 2), and by how much the scores fall without it: an approximation."""

    argument: int
    span: Span
    values: Floats  # [Y]


@dataclass(frozen=True, slots=True)
class ScoreTerms:
    """All terms, a column for each of the model's Y labels; of each label they add up to its score."""

    bias: Floats  # [Y]
    arguments: Floats  # [Y]
    pairs: tuple[NamedPair, ...]
    other_pairs: tuple[UnlistedPairs, ...]  # one for each chain that is too long to be listed
    features: tuple[NamedFeature, ...]  # in the order of their columns
    words: tuple[NamedWord, ...] = ()  # of an encoder; they are not part of the sum

    def strongest_features(self, label: int) -> list[NamedFeature]:
        """The one that adds to a label's score or takes from it most comes first."""
        return sorted(self.features, key=lambda feature: (-abs(float(feature.values[label])), feature.name))

    def rounding(self, label: int, score: float) -> float:
        """What is between the sum of a label's terms and its score, which is in single precision."""
        named: tuple[NamedPair | UnlistedPairs | NamedFeature, ...]
        named = (*self.pairs, *self.other_pairs, *self.features)
        terms = (self.bias, self.arguments, *(term.values for term in named))
        return score - math.fsum(float(term[label]) for term in terms)


class EntitySpans:
    """The trees of a relation, the entities they share, and the text behind the nodes of their mentions."""

    def __init__(self, prediction: Prediction, mentions: MentionIndex) -> None:
        instance = source_of(prediction)
        document, relation = instance.document, instance.relation
        self.trees = (
            argument_tree(document, relation.arg1.tokens, relation=relation),
            argument_tree(document, relation.arg2.tokens, relation=relation),
        )
        self.links: list[EntityLink] = entity_links(*self.trees, mentions)
        self._spans = tuple(
            _spans(document, argument, tree, mentions, origin)
            for argument, tree, origin in zip(
                (relation.arg1, relation.arg2), self.trees, prediction.origins, strict=True
            )
        )

    def first(self, node: int, chain: str) -> Span:
        """What a node of the first argument's tree says of a chain."""
        return self._spans[0][node, chain]

    def second(self, node: int, chain: str) -> Span:
        return self._spans[1][node, chain]


def source_of(prediction: Prediction) -> Instance:
    """What was judged; InputError where the prediction was stored without it."""
    if prediction.source is None:
        raise InputError(
            "This prediction no longer knows its text, so it can't be explained.",
            hint="Explain predictions as the pipeline gives them, before they are stored.",
        )
    return prediction.source


def score_terms(model: AnyModel, instance: Instance, entities: EntitySpans) -> ScoreTerms:
    """Every term of every outcome's score, named."""
    if isinstance(model, EncoderModel):
        return _encoder_terms(model, instance, entities)
    example = model.encoder.encode([instance])[0]
    parts = contributions(model, example)
    pairs, other_pairs = _pairs(parts.links, parts.link_totals, entities)
    features = _features(model.extractor, example.features, parts.features)
    return ScoreTerms(parts.bias, parts.arguments, tuple(pairs), tuple(other_pairs), features)


def _features(
    extractor: FeatureExtractor | None, fired: Iterable[int], rows: Iterable[Floats]
) -> tuple[NamedFeature, ...]:
    if extractor is None:
        return ()
    named = zip(fired, rows, strict=True)
    return tuple(NamedFeature(readable_feature(extractor, int(column)), row) for column, row in named)


def _encoder_terms(model: EncoderModel, instance: Instance, entities: EntitySpans) -> ScoreTerms:
    texts = instance.relation.arg1.text, instance.relation.arg2.text
    first, second = model.argument_terms(*texts)
    words = (
        NamedWord(
            word.argument,
            Span(texts[word.argument - 1][word.start : word.end], word.start, word.end),
            word.values,
        )
        for word in model.word_terms(*texts)
    )
    features: tuple[NamedFeature, ...] = ()
    if model.extractor is not None and model.feature_weights is not None:
        fired = model.extractor.transform([instance]).row(0)
        rows = model.feature_weights.T[fired].astype(np.float64)
        features = _features(model.extractor, fired, rows)
    pairs, others = _pairs(*model.pair_terms(instance), entities)
    bias = model.bias.astype(np.float64)
    return ScoreTerms(bias, first + second, tuple(pairs), tuple(others), features, tuple(words))


def _pairs(
    links: Sequence[Floats], totals: Floats, entities: EntitySpans
) -> tuple[list[NamedPair], list[UnlistedPairs]]:
    """The aligned pairs in the order of the model's links, each with the text of its mentions.

    Of a long chain those of its first mentions on each side, and all others as one term: the number of terms
    grows with the mentions, not with their pairs.
    """
    pairs: list[NamedPair] = []
    other_pairs: list[UnlistedPairs] = []
    if not links:  # the model reads no entities, whether or not there are some
        return pairs, other_pairs
    for link, terms, total in zip(entities.links, links, totals, strict=True):
        rows, columns, _ = terms.shape
        chain = link.chain
        pairs.extend(
            NamedPair(chain, entities.first(node, chain), entities.second(other, chain), terms[i, j])
            for i, node in enumerate(link.first[:rows])
            for j, other in enumerate(link.second[:columns])
        )
        if link.pairs > rows * columns:
            others = total - terms.sum(axis=(0, 1))
            other_pairs.append(UnlistedPairs(chain, link.pairs - rows * columns, others))
    return pairs, other_pairs


def _spans(
    document: Document, argument: Argument, tree: ArgumentTree, mentions: MentionIndex, origin: int
) -> dict[tuple[int, str], Span]:
    """The text behind each node and chain; of several mentions at one node, the longest."""
    longest: dict[tuple[int, str], Mention] = {}
    for mention in mentions.between(tree.tokens[0], tree.tokens[-1]):
        node = mention_node(tree, mention)
        if node is not None:
            key = (node, mention.chain)
            if key not in longest or mention.end - mention.start > longest[key].end - longest[key].start:
                longest[key] = mention
    return {key: mention_span(document, argument, mention, origin) for key, mention in longest.items()}
