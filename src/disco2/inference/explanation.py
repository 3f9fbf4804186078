"""Why a sense won: its score as a sum of terms that a person can read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from disco2.batches import Example
from disco2.errors import InputError
from disco2.inference.feature_names import readable_feature
from disco2.inference.prediction import Prediction, Span
from disco2.inference.shared import mention_span
from disco2.model import RelationModel
from disco2.model.arrays import Floats
from disco2.model.contributions import Contributions, contributions
from disco2.records import Argument, Document, Instance, Mention
from disco2.trees import (
    ArgumentTree,
    MentionIndex,
    MentionIndexes,
    argument_tree,
    entity_links,
    mention_node,
)

PORTION = 256  # predictions that are encoded at a time
Values = Callable[[Floats], tuple[float, float]]  # a row of all labels -> that of the sense and its rival


@dataclass(frozen=True, slots=True)
class Term:
    """What one thing adds to the score of the sense, and to that of its rival."""

    name: str
    value: float
    rival: float

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "value": self.value, "rival": self.rival}


@dataclass(frozen=True, slots=True)
class MentionPair:
    """An aligned pair of mentions and what it adds, its weight among all pairs included."""

    chain: str
    arg1: Span
    arg2: Span
    value: float
    rival: float

    def to_json(self) -> dict[str, Any]:
        return {
            "chain": self.chain,
            "arg1": self.arg1.to_json(),
            "arg2": self.arg2.to_json(),
            "value": self.value,
            "rival": self.rival,
        }


@dataclass(frozen=True, slots=True)
class OtherPairs:
    """The pairs of a long chain that are not listed, and what they add together."""

    chain: str
    count: int
    value: float
    rival: float

    def to_json(self) -> dict[str, Any]:
        return {"chain": self.chain, "count": self.count, "value": self.value, "rival": self.rival}


@dataclass(frozen=True)
class Explanation:
    """The score of a sense, taken apart, beside that of a rival.

    ``score`` is the number the model decided by, in single precision; the terms are computed in double
    precision, and ``rounding`` is what is between their sum and the score. So ``bias + arguments + all pairs
    + all other pairs + all features + rounding`` is the score, with nothing left over.
    """

    sense: str
    score: float
    rival: str  # the next best outcome, or the one asked for; empty where there is no other
    rival_score: float
    bias: Term
    arguments: Term
    pairs: tuple[MentionPair, ...]
    other_pairs: tuple[OtherPairs, ...]  # one for each chain that is too long to be listed
    features: tuple[Term, ...]  # all that fire, the one that adds or takes most first
    rounding: Term

    def terms(self) -> Iterable[Term | MentionPair | OtherPairs]:
        """All of them, in the order in which they are shown."""
        return (self.bias, self.arguments, *self.pairs, *self.other_pairs, *self.features, self.rounding)

    def to_json(self) -> dict[str, Any]:
        return {
            "sense": self.sense,
            "score": self.score,
            "rival": self.rival,
            "rival_score": self.rival_score,
            "bias": self.bias.to_json(),
            "arguments": self.arguments.to_json(),
            "pairs": [pair.to_json() for pair in self.pairs],
            "other_pairs": [others.to_json() for others in self.other_pairs],
            "features": [feature.to_json() for feature in self.features],
            "rounding": self.rounding.to_json(),
        }


def explained(
    model: RelationModel, predictions: Sequence[Prediction], *, sense: str = "", rival: str = ""
) -> Iterator[Explanation]:
    """Take the score of a sense apart: the predicted one against the next best, unless others are named."""
    mentions = MentionIndexes()
    for begin in range(0, len(predictions), PORTION):
        portion = predictions[begin : begin + PORTION]
        instances = [_source(prediction) for prediction in portion]
        examples = model.encoder.encode(instances)
        for prediction, instance, example in zip(portion, instances, examples, strict=True):
            index = mentions.of(instance.document)
            yield _explanation(model, prediction, instance, example, index, sense, rival)


def _source(prediction: Prediction) -> Instance:
    if prediction.source is None:
        raise InputError(
            "This prediction no longer knows its text, so it can't be explained.",
            hint="Explain predictions as the pipeline gives them, before they are stored.",
        )
    return prediction.source


def _explanation(
    model: RelationModel,
    prediction: Prediction,
    instance: Instance,
    example: Example,
    mentions: MentionIndex,
    sense: str,
    rival: str,
) -> Explanation:
    sense = sense or prediction.sense
    others = [outcome for outcome in prediction.probabilities if outcome != sense]
    rival = rival or (others[0] if others else "")
    column = _column(model, sense)
    rival_column = _column(model, rival) if rival else None

    def values(row: Floats) -> tuple[float, float]:
        return float(row[column]), 0.0 if rival_column is None else float(row[rival_column])

    parts = contributions(model, example)
    bias = Term("bias", *values(parts.bias))
    arguments = Term("arguments", *values(parts.arguments))
    pairs, other_pairs = _pairs(prediction, instance, mentions, parts, values)
    features = [
        Term(readable_feature(model.extractor, int(fired)), *values(row))
        for fired, row in zip(example.features, parts.features, strict=True)
        if model.extractor is not None
    ]
    features.sort(key=lambda term: (-abs(term.value), term.name))
    score, rival_score = prediction.scores[sense], prediction.scores[rival] if rival else 0.0
    terms: tuple[Term | MentionPair | OtherPairs, ...] = (bias, arguments, *pairs, *other_pairs, *features)
    rounding = Term(
        "rounding",
        score - math.fsum(term.value for term in terms),
        rival_score - math.fsum(term.rival for term in terms),
    )
    return Explanation(
        sense=sense,
        score=score,
        rival=rival,
        rival_score=rival_score,
        bias=bias,
        arguments=arguments,
        pairs=tuple(pairs),
        other_pairs=tuple(other_pairs),
        features=tuple(features),
        rounding=rounding,
    )


def _column(model: RelationModel, label: str) -> int:
    if label not in model.labels:
        raise InputError(
            f"The model knows no outcome '{label}'.", hint=f"It knows: {', '.join(model.labels)}."
        )
    return model.labels.index(label)


def _pairs(
    prediction: Prediction,
    instance: Instance,
    mentions: MentionIndex,
    parts: Contributions,
    values: Values,
) -> tuple[list[MentionPair], list[OtherPairs]]:
    """The aligned pairs in the order of the model's links, each with the text of its mentions.

    Of a long chain those of its first mentions on each side, and all others as one term: the number of terms
    grows with the mentions, not with their pairs.
    """
    if not parts.links:
        return [], []
    document, relation = instance.document, instance.relation
    tree1 = argument_tree(document, relation.arg1.tokens, relation=relation)
    tree2 = argument_tree(document, relation.arg2.tokens, relation=relation)
    first = _spans(document, relation.arg1, tree1, mentions, prediction.origins[0])
    second = _spans(document, relation.arg2, tree2, mentions, prediction.origins[1])
    pairs: list[MentionPair] = []
    other_pairs: list[OtherPairs] = []
    found = entity_links(tree1, tree2, mentions)
    for link, terms, total in zip(found, parts.links, parts.link_totals, strict=True):
        rows, columns, _ = terms.shape
        pairs.extend(
            MentionPair(link.chain, first[node, link.chain], second[other, link.chain], *values(terms[i, j]))
            for i, node in enumerate(link.first[:rows])
            for j, other in enumerate(link.second[:columns])
        )
        if link.pairs > rows * columns:
            others = total - terms.sum(axis=(0, 1))
            other_pairs.append(OtherPairs(link.chain, link.pairs - rows * columns, *values(others)))
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
