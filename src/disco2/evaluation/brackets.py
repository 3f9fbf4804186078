"""Predicted brackets against gold ones: precision, recall and F1, as parsers are judged.

A sentence's brackets are a multiset of (label, start, end). Convention of all figures here: labels are bare
of functions; every node of a unary chain counts; a node that only marks the root (ROOT, TOP) and the flat
noun modifiers that some corpora add (NML) are left out; punctuation counts like any other word. Counts are
summed over all sentences before anything is divided (micro average).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from disco2.errors import InputError

Bracket = tuple[str, int, int]  # label, start, end (exclusive)

LEFT_OUT = frozenset({"ROOT", "TOP", "NML"})


@dataclass(frozen=True, slots=True)
class BracketScore:
    """How many brackets are right, and out of how many."""

    matched: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        return self.matched / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.matched / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        both = self.predicted + self.gold
        return 2 * self.matched / both if both else 0.0


@dataclass(frozen=True, slots=True)
class BracketEvaluation:
    """Labelled and unlabelled scores; ``exact``: the sentences whose labelled brackets are all right."""

    labelled: BracketScore
    unlabelled: BracketScore
    sentences: int
    exact: int


def evaluate_brackets(
    gold: Sequence[Sequence[Bracket]],
    predicted: Sequence[Sequence[Bracket]],
    *,
    left_out: frozenset[str] = LEFT_OUT,
) -> BracketEvaluation:
    """Compare the brackets of sentences, one list of each kind for a sentence."""
    if len(gold) != len(predicted):
        raise InputError(
            f"{len(predicted)} predicted trees for {len(gold)} gold ones.", hint="Give one tree a sentence."
        )
    pairs = [
        (Counter(_kept(truth, left_out)), Counter(_kept(guess, left_out)))
        for truth, guess in zip(gold, predicted, strict=True)
    ]
    return BracketEvaluation(
        labelled=_score(pairs),
        unlabelled=_score([(_bare(truth), _bare(guess)) for truth, guess in pairs]),
        sentences=len(pairs),
        exact=sum(truth == guess for truth, guess in pairs),
    )


def _kept(brackets: Sequence[Bracket], left_out: frozenset[str]) -> list[Bracket]:
    return [bracket for bracket in brackets if bracket[0] not in left_out]


def _bare(brackets: Counter[Bracket]) -> Counter[Bracket]:
    """The same multiset without labels."""
    bare: Counter[Bracket] = Counter()
    for (_, start, end), count in brackets.items():
        bare["", start, end] += count
    return bare


def _score(pairs: Sequence[tuple[Counter[Bracket], Counter[Bracket]]]) -> BracketScore:
    return BracketScore(
        matched=sum((truth & guess).total() for truth, guess in pairs),
        predicted=sum(guess.total() for _, guess in pairs),
        gold=sum(truth.total() for truth, _ in pairs),
    )
