"""Everything about one relation that can be looked at: trees, vectors, entities, and the parts of scores.

Vectors are those of one member, the first: members start from seeds of their own, so the mean of their
vectors stands for nothing, whereas scores and their terms are means over all members.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from disco2.data import Document
from disco2.data.batch import Floats
from disco2.data.tree import ArgumentTree, MentionIndex, node_labels
from disco2.errors import InputError
from disco2.inference.explanation import Decision, Decisions, EntitySpans, source_of
from disco2.inference.prediction import Prediction, Span
from disco2.model import AnyModel
from disco2.model.relation_model import NodeVectors, node_vectors
from disco2.parser.parser import DiscourseParser

DIGITS = 4  # of the numbers in vectors
MEMBER = 1  # whose vectors are shown

Json = dict[str, Any]
Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ViewedArgument:
    """An argument and its tree; see ``trees.argument_tree`` for the numbering of nodes."""

    span: Span
    words: tuple[str, ...]  # [n]
    left: tuple[int, ...]  # [n-1]
    right: tuple[int, ...]  # [n-1]
    labels: tuple[str, ...]  # [2n-1] parts of speech, then phrases; "" for nodes that binarising made
    up: tuple[Vector, ...]  # [2n-1] upward vectors; empty where the model composes nothing

    def to_json(self) -> Json:
        return self.span.to_json() | {
            "words": list(self.words),
            "left": list(self.left),
            "right": list(self.right),
            "labels": list(self.labels),
            "up": [list(vector) for vector in self.up],
        }


@dataclass(frozen=True, slots=True)
class ViewedMention:
    """The node that stands for a mention, and the mention's text."""

    node: int
    text: str

    def to_json(self) -> Json:
        return {"node": self.node, "text": self.text}


@dataclass(frozen=True, slots=True)
class ViewedChain:
    """An entity that both arguments speak of, and the downward vectors on the way to its mentions."""

    chain: str
    first: tuple[ViewedMention, ...]
    second: tuple[ViewedMention, ...]
    down: tuple[Mapping[int, Vector], Mapping[int, Vector]]  # node -> vector, from the root down

    def to_json(self) -> Json:
        return {
            "chain": self.chain,
            "first": [mention.to_json() for mention in self.first],
            "second": [mention.to_json() for mention in self.second],
            "down": [{str(node): list(vector) for node, vector in way.items()} for way in self.down],
        }


@dataclass(frozen=True, slots=True)
class ViewedPair:
    """An aligned pair of mentions and what it adds to a score."""

    chain: str
    arg1: Span
    arg2: Span
    value: float

    def to_json(self) -> Json:
        spans = {"arg1": self.arg1.to_json(), "arg2": self.arg2.to_json()}
        return {"chain": self.chain, **spans, "value": self.value}


@dataclass(frozen=True, slots=True)
class ViewedOtherPairs:
    """The pairs of a long chain that are not listed."""

    chain: str
    count: int
    value: float

    def to_json(self) -> Json:
        return {"chain": self.chain, "count": self.count, "value": self.value}


@dataclass(frozen=True, slots=True)
class ViewedFeature:
    """A surface feature that fires and what it adds."""

    name: str
    value: float

    def to_json(self) -> Json:
        return {"name": self.name, "value": self.value}


@dataclass(frozen=True, slots=True)
class ViewedWord:
    """A word of an argument (1 or 2) and by how much the score falls without it, roughly."""

    argument: int
    text: str
    value: float

    def to_json(self) -> Json:
        return {"argument": self.argument, "text": self.text, "value": self.value}


@dataclass(frozen=True, slots=True)
class ViewedSense:
    """The score of an outcome and its terms, which with ``rounding`` add up to it."""

    sense: str
    probability: float
    score: float
    bias: float
    arguments: float
    pairs: tuple[ViewedPair, ...]
    other_pairs: tuple[ViewedOtherPairs, ...]
    features: tuple[ViewedFeature, ...]  # the one that adds or takes most first
    rounding: float
    words: tuple[ViewedWord, ...] = ()  # of an encoder, in text order

    def to_json(self) -> Json:
        return {
            "sense": self.sense,
            "probability": self.probability,
            "score": self.score,
            "bias": self.bias,
            "arguments": self.arguments,
            "pairs": [pair.to_json() for pair in self.pairs],
            "other_pairs": [others.to_json() for others in self.other_pairs],
            "features": [feature.to_json() for feature in self.features],
            "rounding": self.rounding,
            "words": [word.to_json() for word in self.words],
        }


@dataclass(frozen=True, slots=True)
class RelationView:
    """A relation, taken apart for a drawing. docs/json.md describes its JSON."""

    relation: Prediction
    arguments: tuple[ViewedArgument, ViewedArgument]
    chains: tuple[ViewedChain, ...]
    member: int  # whose vectors these are, from 1
    members: int  # how many compose vectors
    dimensions: int  # numbers in a vector; 0 where the model composes nothing
    senses: tuple[ViewedSense, ...]  # the most probable first

    def to_json(self) -> Json:
        return {
            "relation": self.relation.to_json(),
            "arguments": [argument.to_json() for argument in self.arguments],
            "chains": [chain.to_json() for chain in self.chains],
            "member": self.member,
            "members": self.members,
            "dimensions": self.dimensions,
            "senses": [sense.to_json() for sense in self.senses],
        }


def relation_view(
    model: AnyModel, parser: DiscourseParser, prediction: Prediction, *, senses: int = 4
) -> RelationView:
    """Trees, vectors and entities of a prediction, and the scores of its most probable outcomes in parts."""
    if senses < 0:
        raise InputError(f"{senses} senses can't be shown.", hint="Give 0 or a larger number.")
    instance = source_of(prediction)
    entities = EntitySpans(prediction, MentionIndex(instance.document))
    vectors = node_vectors(model, instance, member=MEMBER - 1)
    first, second = entities.trees
    up = vectors.up if vectors else (None, None)
    decisions = Decisions(model, parser)
    of_first = decisions.of(prediction)
    shown = list(prediction.probabilities)[:senses]
    # The rule for questions knows one outcome; the model has judged the others.
    ruled = not set(shown) <= set(of_first.labels)
    of_others = decisions.of(prediction, shown[1]) if ruled else of_first
    return RelationView(
        relation=prediction,
        arguments=(
            _argument(prediction.arg1, instance.document, first, up[0]),
            _argument(prediction.arg2, instance.document, second, up[1]),
        ),
        chains=_chains(entities, vectors),
        member=MEMBER,
        members=model.settings.members,
        dimensions=vectors.up[0].shape[1] if vectors else 0,
        senses=tuple(
            _sense(prediction, sense, of_first if sense in of_first.labels else of_others) for sense in shown
        ),
    )


def _argument(span: Span, document: Document, tree: ArgumentTree, up: Floats | None) -> ViewedArgument:
    return ViewedArgument(
        span=span,
        words=tuple(document.words(tree.tokens)),
        left=tuple(tree.left.tolist()),
        right=tuple(tree.right.tolist()),
        labels=tuple(node_labels(document, tree)),
        up=() if up is None else tuple(map(_rounded, up)),
    )


def _chains(entities: EntitySpans, vectors: NodeVectors | None) -> tuple[ViewedChain, ...]:
    """The shared entities, also where the model does not read them; then without vectors."""
    nothing: tuple[dict[int, Floats], dict[int, Floats]] = ({}, {})
    ways = vectors.down if vectors and vectors.down else (nothing,) * len(entities.links)
    return tuple(
        ViewedChain(
            chain=link.chain,
            first=tuple(ViewedMention(node, entities.first(node, link.chain).text) for node in link.first),
            second=tuple(ViewedMention(node, entities.second(node, link.chain).text) for node in link.second),
            down=(_way(first), _way(second)),
        )
        for link, (first, second) in zip(entities.links, ways, strict=True)
    )


def _way(vectors: Mapping[int, Floats]) -> dict[int, Vector]:
    return {node: _rounded(vector) for node, vector in vectors.items()}


def _sense(prediction: Prediction, sense: str, decision: Decision) -> ViewedSense:
    terms, column = decision.terms, decision.column(sense)
    score = decision.scores[column]
    return ViewedSense(
        sense=sense,
        probability=prediction.probabilities[sense],
        score=score,
        bias=float(terms.bias[column]),
        arguments=float(terms.arguments[column]),
        pairs=tuple(
            ViewedPair(pair.chain, pair.arg1, pair.arg2, float(pair.values[column])) for pair in terms.pairs
        ),
        other_pairs=tuple(
            ViewedOtherPairs(others.chain, others.count, float(others.values[column]))
            for others in terms.other_pairs
        ),
        features=tuple(
            ViewedFeature(feature.name, float(feature.values[column]))
            for feature in terms.strongest_features(column)
        ),
        rounding=terms.rounding(column, score),
        words=tuple(
            ViewedWord(word.argument, word.span.text, float(word.values[column])) for word in terms.words
        ),
    )


def _rounded(vector: Floats) -> Vector:
    return tuple(round(float(value), DIGITS) + 0.0 for value in vector)  # the sum makes 0.0 of -0.0
