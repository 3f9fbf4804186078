"""Why a sense won: its score as a sum of terms that a person can read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disco2.data import Argument, Document, Instance, Mention
from disco2.data.batch import Floats
from disco2.data.tree import (
    ArgumentTree,
    EntityLink,
    MentionIndex,
    MentionIndexes,
    argument_tree,
    entity_links,
    mention_node,
)
from disco2.errors import InputError
from disco2.features import FeatureExtractor
from disco2.features.pairs_and_rules import CONTEXT_NAMES, SidedRule
from disco2.inference.candidates import mention_span
from disco2.inference.finding import HYPOPHORA
from disco2.inference.prediction import Prediction, Span
from disco2.model import AnyModel, EncoderModel
from disco2.model.relation_model import contributions
from disco2.parser.parser import DiscourseParser, ParsedDocument

_SIDES = {"arg1": "arg1", "arg2": "arg2", "both": "both arguments"}


def readable_feature(extractor: FeatureExtractor, column: int) -> str:
    """``stem 'rain' in arg1, 'cancel' in arg2``; ``NP -> DT NN in arg1``; ``tenses: past, present``."""
    if column < len(extractor.word_pairs):
        first, second = extractor.word_pairs[column]
        return f"stem '{first}' in arg1, '{second}' in arg2"
    column -= len(extractor.word_pairs)
    for rules in (extractor.production_rules, extractor.dependency_rules):
        if column < len(rules):
            return _rule(rules[column])
        column -= len(rules)
    if column < len(extractor.first_words):
        side, place, word = extractor.first_words[column]
        return f"word {place} of {side} is '{word}'"
    column -= len(extractor.first_words)
    for features in extractor.counted.values():
        if column < len(features):
            return features[column]
        column -= len(features)
    return CONTEXT_NAMES[column]


def _rule(rule: SidedRule) -> str:
    side, text = rule
    return f"{text} in {_SIDES[side]}"


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


BIAS = "bias"  # the parser's feature of every item


@dataclass(frozen=True, slots=True)
class Decision:
    """Outcomes, their scores, and the terms that add up to them; and why a connective is one."""

    labels: Sequence[str]
    scores: Sequence[float]
    terms: ScoreTerms
    connective: tuple[tuple[str, float], ...] = ()

    def column(self, label: str) -> int:
        """Where an outcome stands; InputError where there is none of that name."""
        if label not in self.labels:
            raise InputError(
                f"The model knows no outcome '{label}'.", hint=f"It knows: {', '.join(self.labels)}."
            )
        return self.labels.index(label)


class Decisions:
    """Takes predictions apart; quicker where those of one document come one after the other."""

    def __init__(self, model: AnyModel, parser: DiscourseParser) -> None:
        self._model = model
        self._parser = parser
        self._mentions = MentionIndexes()
        self._parsed: ParsedDocument | None = None

    def of(self, prediction: Prediction, sense: str = "") -> Decision:
        """What decided about a sense, by default the predicted one."""
        instance = source_of(prediction)
        if instance.relation.connective_tokens:
            return self._of_parser(instance)
        if (sense or prediction.sense) == HYPOPHORA and prediction.kind == HYPOPHORA:
            return self._of_answer(instance)
        entities = EntitySpans(prediction, self._mentions.of(instance.document))
        labels = self._model.labels
        terms = score_terms(self._model, instance, entities)
        return Decision(labels, [prediction.scores[label] for label in labels], terms)

    def _layout(self, instance: Instance) -> ParsedDocument:
        if self._parsed is None or self._parsed.document is not instance.document:
            self._parsed = ParsedDocument(instance.document)
        return self._parsed

    def _of_parser(self, instance: Instance) -> Decision:
        found = self._parser.explain(self._layout(instance), instance.relation.connective_tokens)
        values = found.values.astype(np.float64)
        nothing = np.zeros(len(found.senses))
        rows = [
            NamedFeature(name, row) for name, row in zip(found.features, values, strict=True) if row.any()
        ]
        terms = ScoreTerms(
            sum((one.values for one in rows if one.name == BIAS), nothing),
            nothing,
            (),
            (),
            tuple(one for one in rows if one.name != BIAS),
        )
        scores = values.sum(axis=0).tolist()
        return Decision(found.senses, scores, terms, tuple(found.is_connective))

    def _of_answer(self, instance: Instance) -> Decision:
        second = instance.document.sentence_index(instance.relation.arg2.tokens[0])
        found = self._parser.explain_answer(self._layout(instance), second)
        bias = np.array([sum(value for name, value in found if name == BIAS)])
        rows = tuple(NamedFeature(name, np.array([value])) for name, value in found if name != BIAS)
        score = float(bias[0]) + sum(float(one.values[0]) for one in rows)
        return Decision((HYPOPHORA,), (score,), ScoreTerms(bias, np.zeros(1), (), (), rows))


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


@dataclass(frozen=True, slots=True)
class WordShare:
    """A word of an argument (1 or 2), and by how much the score falls where it is hidden from the encoder.

    An approximation: words act together, so that these values don't add up to the score.
    """

    argument: int
    span: Span  # offsets count in the argument's text
    value: float
    rival: float

    def to_json(self) -> dict[str, Any]:
        return {"argument": self.argument, **self.span.to_json(), "value": self.value, "rival": self.rival}


@dataclass(frozen=True)
class Explanation:
    """The score of a sense, taken apart, beside that of a rival.

    ``score`` is the number the model decided by, in single precision; the terms are computed in double
    precision, and ``rounding`` is what is between their sum and the score. So ``bias + arguments + all pairs
    + all other pairs + all features + rounding`` is the score, with nothing left over. Of an encoder,
    ``arguments`` is what the two texts add, and ``words`` says roughly which words matter.

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
    features: tuple[Term, ...]  # all that fire, the one that adds or takes most first
    rounding: Term
    words: tuple[WordShare, ...] = ()  # in text order; empty where the model is no encoder
    connective: tuple[Term, ...] = ()  # the one that adds or takes most first; empty where there is none

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
            "words": [word.to_json() for word in self.words],
            "connective": [term.to_json() for term in self.connective],
        }


def explained(
    model: AnyModel,
    parser: DiscourseParser,
    predictions: Sequence[Prediction],
    *,
    sense: str = "",
    rival: str = "",
) -> Iterator[Explanation]:
    """Take the score of a sense apart: the predicted one against the next best, unless others are named."""
    decisions = Decisions(model, parser)
    for prediction in predictions:
        decision = decisions.of(prediction, sense)
        yield _explanation(decision, prediction, sense or prediction.sense, rival)


def _explanation(decision: Decision, prediction: Prediction, sense: str, rival: str) -> Explanation:
    column = decision.column(sense)
    others = [one for one in prediction.probabilities if one != sense and one in decision.labels]
    rival = rival or (others[0] if others else "")
    rival_column = decision.column(rival) if rival else None
    terms = decision.terms

    def values(row: Floats) -> tuple[float, float]:
        return float(row[column]), 0.0 if rival_column is None else float(row[rival_column])

    score = decision.scores[column]
    rival_score = 0.0 if rival_column is None else decision.scores[rival_column]
    return Explanation(
        sense=sense,
        score=score,
        rival=rival,
        rival_score=rival_score,
        bias=Term("bias", *values(terms.bias)),
        arguments=Term("arguments", *values(terms.arguments)),
        pairs=tuple(
            MentionPair(pair.chain, pair.arg1, pair.arg2, *values(pair.values)) for pair in terms.pairs
        ),
        other_pairs=tuple(
            OtherPairs(others.chain, others.count, *values(others.values)) for others in terms.other_pairs
        ),
        features=tuple(
            Term(feature.name, *values(feature.values)) for feature in terms.strongest_features(column)
        ),
        rounding=Term(
            "rounding",
            terms.rounding(column, score),
            0.0 if rival_column is None else terms.rounding(rival_column, rival_score),
        ),
        words=tuple(WordShare(word.argument, word.span, *values(word.values)) for word in terms.words),
        connective=tuple(Term(name, value, 0.0) for name, value in decision.connective),
    )
