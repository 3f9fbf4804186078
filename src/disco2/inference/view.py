"""Everything about one relation that can be looked at: trees, vectors, entities, and the terms of scores.

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
from disco2.inference.explanation import Decisions, EntitySpans, Explanation, source_of
from disco2.inference.prediction import Prediction, Record, Span
from disco2.model import AnyModel
from disco2.model.relation_model import NodeVectors, node_vectors
from disco2.parser.parser import DiscourseParser

DIGITS = 4  # of the numbers in vectors
MEMBER = 1  # whose vectors are shown

Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ViewedArgument(Record):
    """An argument and its tree; see ``data.tree`` for the numbering of nodes."""

    span: Span
    words: tuple[str, ...]  # [n]
    left: tuple[int, ...]  # [n-1]
    right: tuple[int, ...]  # [n-1]
    labels: tuple[str, ...]  # [2n-1] parts of speech, then phrases; "" for nodes that binarising made
    up: tuple[Vector, ...]  # [2n-1] upward vectors; empty where the model composes nothing

    def to_json(self) -> dict[str, Any]:
        content = Record.to_json(self)
        return {**content.pop("span"), **content}


@dataclass(frozen=True, slots=True)
class ViewedMention(Record):
    """The node that stands for a mention, and the mention's text."""

    node: int
    text: str


@dataclass(frozen=True, slots=True)
class ViewedChain(Record):
    """An entity that both arguments mention, and the downward vectors on the way to its mentions."""

    chain: str
    first: tuple[ViewedMention, ...]
    second: tuple[ViewedMention, ...]
    down: tuple[Mapping[int, Vector], Mapping[int, Vector]]  # node -> vector, from the root down


@dataclass(frozen=True, slots=True)
class ViewedSense(Record):
    """An outcome, its probability, and the terms of its score, without a rival's."""

    probability: float
    explanation: Explanation

    def to_json(self) -> dict[str, Any]:
        terms = self.explanation.to_json()

        def chosen(name: str, *fields: str) -> list[dict[str, Any]]:
            return [{field: one[field] for field in fields} for one in terms[name]]

        return {
            "sense": terms["sense"],
            "probability": self.probability,
            "score": terms["score"],
            **{name: terms[name]["value"] for name in ("bias", "arguments")},
            "pairs": chosen("pairs", "chain", "arg1", "arg2", "value"),
            "other_pairs": chosen("other_pairs", "chain", "count", "value"),
            "features": chosen("features", "name", "value"),
            "rounding": terms["rounding"]["value"],
            "words": chosen("words", "argument", "text", "value"),
        }


@dataclass(frozen=True, slots=True)
class RelationView(Record):
    """A relation, taken apart for a drawing. docs/json.md describes its JSON."""

    relation: Prediction
    arguments: tuple[ViewedArgument, ViewedArgument]
    chains: tuple[ViewedChain, ...]
    member: int  # whose vectors these are, from 1
    members: int  # how many compose vectors
    dimensions: int  # numbers in a vector; 0 where the model composes nothing
    senses: tuple[ViewedSense, ...]  # the most probable first


def relation_view(
    model: AnyModel, parser: DiscourseParser, prediction: Prediction, *, senses: int = 4
) -> RelationView:
    """Trees, vectors and entities of a prediction, and the terms of its most probable outcomes."""
    if senses < 0:
        raise InputError(f"{senses} senses can't be shown.", hint="Give 0 or a larger number.")
    instance = source_of(prediction)
    entities = EntitySpans(prediction, MentionIndex(instance.document))
    vectors = node_vectors(model, instance, member=MEMBER - 1)
    first, second = entities.trees
    up = vectors.up if vectors else (None, None)
    decisions = Decisions(model, parser)
    decision = decisions.of(prediction)
    shown = list(prediction.probabilities)[:senses]
    # The parser decides about answers to questions; the model has scored the other outcomes.
    by_parser_alone = not set(shown) <= set(decision.labels)
    of_others = decisions.of(prediction, shown[1]) if by_parser_alone else decision
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
            ViewedSense(
                prediction.probabilities[sense],
                (decision if sense in decision.labels else of_others).explain(sense),
            )
            for sense in shown
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
    found = []
    for link, (first, second) in zip(entities.links, ways, strict=True):
        mentions = [
            tuple(ViewedMention(node, entities.span(side, node, link.chain).text) for node in nodes)
            for side, nodes in enumerate((link.first, link.second))
        ]
        found.append(ViewedChain(link.chain, mentions[0], mentions[1], (_way(first), _way(second))))
    return tuple(found)


def _way(vectors: Mapping[int, Floats]) -> dict[int, Vector]:
    return {node: _rounded(vector) for node, vector in vectors.items()}


def _rounded(vector: Floats) -> Vector:
    return tuple(round(float(value), DIGITS) + 0.0 for value in vector)  # the sum makes 0.0 of -0.0
