"""What decided a prediction: the model or the parser; as terms of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disco2.data import Instance
from disco2.data.tree import MentionIndexes
from disco2.errors import InputError
from disco2.inference.finding import HYPOPHORA
from disco2.inference.prediction import Prediction
from disco2.inference.score_terms import EntitySpans, NamedFeature, ScoreTerms, score_terms, source_of
from disco2.model import AnyModel
from disco2.parser.parser import DiscourseParser, ParsedDocument

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
