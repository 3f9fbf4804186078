"""Everything about one relation that can be looked at: trees, vectors, entities, and the terms of scores.

Vectors are those of one member, the first: members start from seeds of their own, so the mean of their
vectors stands for nothing, whereas scores and their terms are means over all members.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from disco2.data.batch import Floats
from disco2.data.tree import ArgumentTree, MentionIndex, node_labels
from disco2.inference.explanation import Decisions, EntitySpans, Explanation, source_of
from disco2.inference.prediction import Prediction, Record, Span
from disco2.model import AnyModel
from disco2.model.relation_model import Composition
from disco2.parser.parser import DiscourseParser

DIGITS = 4  # of the numbers in vectors
MEMBER = 1  # whose vectors are shown
SENSES = 4  # most probable outcomes whose terms are shown

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


def relation_view(model: AnyModel, parser: DiscourseParser, prediction: Prediction) -> RelationView:
    """Trees, vectors and entities of a prediction, and the terms of its most probable outcomes."""
    instance = source_of(prediction)
    entities = EntitySpans(prediction, MentionIndex(instance.document))
    composition = model.composition(instance)
    decisions = Decisions(model, parser)
    decision = decisions.of(prediction, entities=entities)
    shown = list(prediction.probabilities)[:SENSES]
    # The parser decides about answers to questions; the model has scored the other outcomes.
    by_parser_alone = not set(shown) <= set(decision.labels)
    of_others = decisions.of(prediction, shown[1], entities) if by_parser_alone else decision
    arguments, mentions, ways = [], [], []
    for side, (span, tree) in enumerate(zip((prediction.arg1, prediction.arg2), entities.trees, strict=True)):
        up = _upward(tree, composition, side)
        arguments.append(
            ViewedArgument(
                span=span,
                words=tuple(instance.document.words(tree.tokens)),
                left=tuple(tree.left.tolist()),
                right=tuple(tree.right.tolist()),
                labels=tuple(node_labels(instance.document, tree)),
                up=tuple(map(_rounded, up)),
            )
        )
        nodes = [(link.first, link.second)[side] for link in entities.links]
        ways.append([_downward(tree, up, some, composition) for some in nodes])
        mentions.append(
            [
                tuple(ViewedMention(node, entities.spans[side, node, link.chain].text) for node in some)
                for link, some in zip(entities.links, nodes, strict=True)
            ]
        )
    return RelationView(
        relation=prediction,
        arguments=(arguments[0], arguments[1]),
        chains=tuple(
            ViewedChain(link.chain, mentions[0][n], mentions[1][n], (ways[0][n], ways[1][n]))
            for n, link in enumerate(entities.links)
        ),
        member=MEMBER,
        members=model.settings.members,
        dimensions=composition.leaves.shape[1] if composition else 0,
        senses=tuple(
            ViewedSense(
                prediction.probabilities[sense],
                (decision if sense in decision.labels else of_others).explain(sense),
            )
            for sense in shown
        ),
    )


def _upward(tree: ArgumentTree, composition: Composition | None, side: int) -> list[Floats]:
    """u of every node, one at a time, in double precision: u = tanh(U [u_left; u_right]) above the leaves.

    Empty where the model composes nothing.
    """
    if composition is None:
        return []
    leaves, U = composition.leaves.astype(np.float64), composition.U.astype(np.float64)
    up = [*(leaves[-tree.leaves :] if side else leaves[: tree.leaves])]
    for left, right in zip(tree.left.tolist(), tree.right.tolist(), strict=True):
        up.append(np.tanh(U @ np.concatenate([up[left], up[right]])))
    return up


def _downward(
    tree: ArgumentTree, up: list[Floats], mentions: Iterable[int], composition: Composition | None
) -> dict[int, Vector]:
    """d of the nodes from the root to the mentions; empty where the model has no downward vectors.

    d = u at the root, d = tanh(V [d_parent; u_sibling]) below it.
    """
    if composition is None or composition.V is None:
        return {}
    V = composition.V.astype(np.float64)
    way = {tree.root}
    for node in mentions:
        while node not in way:
            way.add(node)
            node = int(tree.parent[node])
    down = {tree.root: up[tree.root]}
    for node in sorted(way - {tree.root}, reverse=True):  # parents before children
        parent = down[int(tree.parent[node])]
        down[node] = np.tanh(V @ np.concatenate([parent, up[tree.sibling(node)]]))
    return {node: _rounded(vector) for node, vector in down.items()}


def _rounded(vector: Floats) -> Vector:
    return tuple(round(float(value), DIGITS) + 0.0 for value in vector)  # the sum makes 0.0 of -0.0
