"""Why a sense won: its score as a sum of terms that a person can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from disco2.inference.decision import Decision, Decisions
from disco2.inference.prediction import Prediction, Span
from disco2.model import AnyModel
from disco2.model.arrays import Floats
from disco2.parser.parser import DiscourseParser


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
