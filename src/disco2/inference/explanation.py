"""Why a sense won: its score as a sum of terms that a person can read.

``Decisions`` takes a prediction apart into the terms of all outcomes, [Y] numbers each; an ``Explanation``
shows those of one sense beside those of a rival.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from disco2.data import Instance
from disco2.data.batch import Floats
from disco2.data.tree import MentionIndex, MentionIndexes, argument_tree, entity_links, mention_node
from disco2.errors import InputError
from disco2.inference.candidates import HYPOPHORA, mention_span
from disco2.inference.prediction import Prediction, Record, Span
from disco2.model import AnyModel
from disco2.parser.features import feature_family
from disco2.parser.parser import DiscourseParser, ParsedDocument

BIAS = "bias"  # the parser's feature of every item


@dataclass(frozen=True, slots=True)
class Term(Record):
    """What one thing adds to the score of the sense, and to that of its rival."""

    name: str
    value: float
    rival: float


@dataclass(frozen=True, slots=True)
class FeatureTerm(Term):
    """A surface feature and the family it belongs to, in words."""

    family: str


@dataclass(frozen=True, slots=True)
class MentionPair(Record):
    """An aligned pair of mentions and what it adds, its weight among all pairs included."""

    chain: str
    arg1: Span
    arg2: Span
    value: float
    rival: float


@dataclass(frozen=True, slots=True)
class OtherPairs(Record):
    """The pairs of a long chain that are not listed, and what they add together."""

    chain: str
    count: int
    value: float
    rival: float


@dataclass(frozen=True, slots=True)
class WordShare(Record):
    """A word of an argument (1 or 2), and by how much the score falls where it is hidden from the encoder.

    An approximation: words act together, so that these values don't add up to the score.
    """

    argument: int
    span: Span  # offsets count in the argument's text
    value: float
    rival: float

    def to_json(self) -> dict[str, Any]:
        return {"argument": self.argument, **self.span.to_json(), "value": self.value, "rival": self.rival}


@dataclass(frozen=True, repr=False)
class Explanation(Record):
    """The score of a sense, taken apart, beside that of a rival.

    ``score`` is the number the model decided by, in single precision; the terms are computed in double
    precision, and ``rounding`` is the difference between their sum and the score. So ``bias + arguments + all
    pairs + all other pairs + all features + rounding`` is exactly the score. Of an encoder, ``arguments`` is
    what the two texts add, and ``words`` says roughly which words matter.

    Of an explicit relation the features are those of the connective and its clauses; ``connective`` says why
    it is one, apart from the sum: a connective has a positive total there.
    """

    sense: str
    score: float
    rival: str  # the next best outcome, or the one asked for; empty where there is no other
    rival_score: float
    bias: Term
    arguments: Term
    pairs: tuple[MentionPair, ...]
    other_pairs: tuple[OtherPairs, ...]  # one for each chain that is too long to be listed
    features: tuple[FeatureTerm, ...]  # all that fire, the largest absolute value first
    rounding: Term
    words: tuple[WordShare, ...] = ()  # in text order; empty where the model is no encoder
    connective: tuple[FeatureTerm, ...] = ()  # the largest absolute value first; empty where there is none

    def terms(self) -> Iterable[Term | MentionPair | OtherPairs]:
        """All of them, in the order in which they are shown."""
        return (self.bias, self.arguments, *self.pairs, *self.other_pairs, *self.features, self.rounding)

    def __repr__(self) -> str:
        """The outcome and what adds most, such as "Contingency.Cause +1.41: arguments +0.90, ..."."""
        named = [(f"{one.arg1.text} ~ {one.arg2.text}", one.value) for one in self.pairs]
        others = (self.bias, self.arguments, *sum_families(self.features))
        named += [(one.name, one.value) for one in others if one.value]
        named.sort(key=lambda one: -abs(one[1]))
        shown = ", ".join(f"{name} {value:+.2f}" for name, value in named)
        rival = f" ({self.rival} {self.rival_score:+.2f})" if self.rival else ""
        return f"<{self.sense} {self.score:+.2f}{rival}: {shown}>"


def sum_families(features: Iterable[FeatureTerm]) -> list[Term]:
    """One term for each family of features, the largest absolute value first."""
    sums: dict[str, tuple[float, float]] = {}
    for one in features:
        value, rival = sums.get(one.family, (0.0, 0.0))
        sums[one.family] = value + one.value, rival + one.rival
    return sorted((Term(name, *values) for name, values in sums.items()), key=lambda one: -abs(one.value))


# The families of ``features.FeatureExtractor``, in the order of its columns; those that follow are context.
_FAMILIES = {
    "word_pairs": "word pairs",
    "production_rules": "production rules",
    "dependency_rules": "dependency rules",
    "first_words": "first words",
    "predicates": "main verbs",
    "attachment": "attachment of clauses",
    "openings": "clause openings",
    "layout": "place in the sentence",
    "overlap": "shared words and length",
}


def explain_predictions(
    model: AnyModel,
    parser: DiscourseParser,
    predictions: Sequence[Prediction],
    *,
    sense: str = "",
    rival: str = "",
) -> Iterator[Explanation]:
    """Explain the predicted sense, or ``sense``, against the next best outcome, or ``rival``."""
    decisions = Decisions(model, parser)
    for prediction in predictions:
        decision = decisions.of(prediction, sense)
        chosen = sense or prediction.sense
        others = (one for one in prediction.probabilities if one != chosen and one in decision.labels)
        yield decision.explain(chosen, rival or next(others, ""))


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcomes, their scores, and the terms that add up to them, each with a number for every outcome.

    In ``pairs``, ``other_pairs``, ``features`` and ``words`` the last entry of a row are its numbers, [Y].
    """

    labels: Sequence[str]
    scores: Sequence[float]
    bias: Floats  # [Y]
    arguments: Floats  # [Y]
    pairs: Sequence[tuple[str, Span, Span, Floats]] = ()  # chain, mentions
    other_pairs: Sequence[tuple[str, int, Floats]] = ()  # chain, how many
    features: Sequence[tuple[str, str, Floats]] = ()  # name, family
    words: Sequence[tuple[int, Span, Floats]] = ()  # argument, word; not part of the sum
    connective: Sequence[tuple[str, Floats]] = ()  # why a connective is one, [1] each

    def explain(self, sense: str, rival: str = "") -> Explanation:
        """The terms of a sense and of its rival; the rival's are 0 where there is none."""
        column = self._column(sense)
        other = self._column(rival) if rival else None

        def values(row: Floats) -> tuple[float, float]:
            return float(row[column]), 0.0 if other is None else float(row[other])

        features = [FeatureTerm(name, *values(row), family) for name, family, row in self.features]
        # The scores are in single precision: what they differ by from the exact sums of their terms, [Y].
        summed = [row for some in (self.pairs, self.other_pairs, self.features) for *_, row in some]
        columns = np.array([self.bias, self.arguments, *summed], dtype=np.float64).T
        rounding = [score - math.fsum(terms) for score, terms in zip(self.scores, columns, strict=True)]
        return Explanation(
            sense=sense,
            score=self.scores[column],
            rival=rival,
            rival_score=0.0 if other is None else self.scores[other],
            bias=Term("bias", *values(self.bias)),
            arguments=Term("arguments", *values(self.arguments)),
            pairs=tuple(
                MentionPair(chain, first, second, *values(row)) for chain, first, second, row in self.pairs
            ),
            other_pairs=tuple(OtherPairs(chain, n, *values(row)) for chain, n, row in self.other_pairs),
            features=tuple(sorted(features, key=lambda one: (-abs(one.value), one.name))),
            rounding=Term("rounding", *values(np.array(rounding))),
            words=tuple(WordShare(argument, span, *values(row)) for argument, span, row in self.words),
            connective=tuple(
                FeatureTerm(name, float(row[0]), 0.0, feature_family(name)) for name, row in self.connective
            ),
        )

    def _column(self, label: str) -> int:
        if label not in self.labels:
            raise InputError(f"Unknown outcome '{label}'.", hint=f"Choose one of: {', '.join(self.labels)}.")
        return self.labels.index(label)


class Decisions:
    """Takes predictions apart; faster where those of one document follow each other."""

    def __init__(self, model: AnyModel, parser: DiscourseParser) -> None:
        self._model = model
        self._parser = parser
        self._mentions = MentionIndexes()
        self._parsed: ParsedDocument | None = None

    def of(self, prediction: Prediction, sense: str = "", entities: EntitySpans | None = None) -> Decision:
        """The decision about a sense, by default the predicted one: by the model or by the parser.

        ``entities`` are those of the prediction, where they are known already.
        """
        instance = source_of(prediction)
        connective = instance.relation.connective_tokens
        answers = (sense or prediction.sense) == HYPOPHORA and prediction.kind == HYPOPHORA
        if not connective and not answers:
            entities = entities or EntitySpans(prediction, self._mentions.of(instance.document))
            return self._of_model(prediction, instance, entities)
        if self._parsed is None or self._parsed.document is not instance.document:
            self._parsed = ParsedDocument(instance.document)
        if connective:
            why, terms = self._parser.explain(self._parsed, connective)
            return _parser_decision(self._parser.senses, terms, why)
        second = instance.document.sentence_index(instance.relation.arg2.tokens[0])
        return _parser_decision((HYPOPHORA,), self._parser.explain_answer(self._parsed, second))

    def _of_model(self, prediction: Prediction, instance: Instance, entities: EntitySpans) -> Decision:
        model, relation = self._model, instance.relation
        parts = model.contributions(instance)
        described: list[tuple[str, str]] = []  # the readable name and the family of each column
        if extractor := model.extractor:
            families = [_FAMILIES.get(one, one) for one, kept in extractor.kept.items() for _ in kept]
            described = list(zip_longest(extractor.readable_names, families, fillvalue="context"))
        words = []
        for one in parts.words:
            text = (relation.arg1, relation.arg2)[one.argument - 1].text[one.start : one.end]
            words.append((one.argument, Span(text, one.start, one.end), one.values))
        return Decision(
            model.labels,
            [prediction.scores[label] for label in model.labels],
            parts.bias,
            parts.arguments,
            *entities.pairs(parts.links, parts.link_totals),
            [(*described[column], row) for column, row in zip(parts.columns, parts.features, strict=True)],
            words,
        )


def _parser_decision(
    labels: Sequence[str], terms: Sequence[tuple[str, Floats]], connective: Sequence[tuple[str, Floats]] = ()
) -> Decision:
    """A decision of the parser: features with their part in the score of each label."""
    nothing: Floats = np.zeros(len(labels))
    bias = sum((row for name, row in terms if name == BIAS), nothing)
    features = [(name, feature_family(name), row) for name, row in terms if name != BIAS and row.any()]
    scores = sum((row for _, row in terms), nothing).tolist()
    return Decision(labels, scores, bias, nothing, features=features, connective=connective)


def source_of(prediction: Prediction) -> Instance:
    """The instance of a prediction; InputError where the prediction was stored without it."""
    if prediction.source is None:
        hint = "Explain predictions as the pipeline gives them, before they are stored."
        raise InputError("This prediction no longer knows its text, so it can't be explained.", hint=hint)
    return prediction.source


class EntitySpans:
    """The trees of a relation, the entities they share, and the text behind the nodes of their mentions."""

    def __init__(self, prediction: Prediction, mentions: MentionIndex) -> None:
        instance = source_of(prediction)
        document, relation = instance.document, instance.relation
        arguments = relation.arg1, relation.arg2
        first, second = (argument_tree(document, one.tokens, relation=relation) for one in arguments)
        self.trees = first, second
        self.links = entity_links(first, second, mentions)
        # By the number of the argument, 0 or 1, the node of its tree, and the chain.
        self.spans: dict[tuple[int, int | None, str], Span] = {}
        for side, (argument, tree) in enumerate(zip(arguments, self.trees, strict=True)):
            between = mentions.between(tree.tokens[0], tree.tokens[-1])
            for mention in sorted(between, key=lambda one: one.start - one.end):
                place = side, mention_node(tree, mention), mention.chain
                if place[1] is not None and place not in self.spans:  # of several mentions the longest
                    span = mention_span(document, argument, mention, prediction.origins[side])
                    self.spans[place] = span

    def pairs(
        self, links: Sequence[Floats], totals: Floats
    ) -> tuple[list[tuple[str, Span, Span, Floats]], list[tuple[str, int, Floats]]]:
        """The aligned pairs in the order of the model's links, and the unlisted rest of long chains.

        ``links`` and ``totals`` are as in ``model.relation_model.Contributions``; no links where the model
        reads no entities.
        """
        pairs: list[tuple[str, Span, Span, Floats]] = []
        others: list[tuple[str, int, Floats]] = []
        for link, terms, total in zip(self.links if links else (), links, totals, strict=True):
            rows, columns, _ = terms.shape
            chain = link.chain
            pairs.extend(
                (chain, self.spans[0, node, chain], self.spans[1, other, chain], terms[i, j])
                for i, node in enumerate(link.first[:rows])
                for j, other in enumerate(link.second[:columns])
            )
            if link.pairs > rows * columns:
                others.append((chain, link.pairs - rows * columns, total - terms.sum(axis=(0, 1))))
        return pairs, others
