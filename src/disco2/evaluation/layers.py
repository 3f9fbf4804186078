"""Annotation layers against gold ones: brackets of constituents, tokens, sentences, tags, dependencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from disco2.evaluation.coreference import Score

Bracket = tuple[str, int, int]  # label, start, end (exclusive)

LEFT_OUT = frozenset({"ROOT", "TOP", "NML"})


@dataclass(frozen=True, slots=True)
class BracketEvaluation:
    """Labelled and unlabelled scores; ``exact``: the sentences whose labelled brackets are all right."""

    labelled: Score
    unlabelled: Score
    sentences: int
    exact: int


def evaluate_brackets(
    gold: Sequence[Sequence[Bracket]], predicted: Sequence[Sequence[Bracket]]
) -> BracketEvaluation:
    """Compare the brackets of sentences, one list of each kind for a sentence."""
    pairs = [
        ([one for one in truth if one[0] not in LEFT_OUT], [one for one in guess if one[0] not in LEFT_OUT])
        for truth, guess in zip(gold, predicted, strict=True)
    ]
    labelled = [(Counter(truth), Counter(guess)) for truth, guess in pairs]
    bare = [(Counter(one[1:] for one in truth), Counter(one[1:] for one in guess)) for truth, guess in pairs]
    return BracketEvaluation(
        labelled=_score(labelled),
        unlabelled=_score(bare),
        sentences=len(pairs),
        exact=sum(truth == guess for truth, guess in labelled),
    )


def _score(pairs: Sequence[tuple[Counter[Any], Counter[Any]]]) -> Score:
    right = sum((truth & guess).total() for truth, guess in pairs)
    gold = sum(truth.total() for truth, _ in pairs)
    return Score(right, gold, right, sum(guess.total() for _, guess in pairs))


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A text's tokens as spans of characters, sentences as spans of tokens, and a value for each token."""

    tokens: Sequence[Span]
    sentences: Sequence[Span]
    tags: Sequence[str]
    heads: Sequence[int]  # tokens of the text, -1 for roots
    labels: Sequence[str]


@dataclass(frozen=True, slots=True)
class SyntaxScores:
    """F1 of tokens, sentences, tags, heads (UAS), and heads with labels (LAS), from 0 to 1."""

    tokens: float
    sentences: float
    tags: float
    unlabelled: float
    labelled: float


def syntax_scores(gold: Sequence[ParsedText], predicted: Sequence[ParsedText]) -> SyntaxScores:
    """The scores over all texts together; gold and predicted ones are those of the same texts, in order.

    Tokens, sentences and heads are compared by their characters.
    """
    return SyntaxScores(
        tokens=_f1(gold, predicted, lambda text: set(text.tokens)),
        sentences=_f1(gold, predicted, _sentence_spans),
        tags=_f1(gold, predicted, lambda text: set(zip(text.tokens, text.tags, strict=True))),
        unlabelled=_f1(gold, predicted, lambda text: set(zip(text.tokens, _head_spans(text), strict=True))),
        labelled=_f1(
            gold, predicted, lambda text: set(zip(text.tokens, _head_spans(text), text.labels, strict=True))
        ),
    )


def _sentence_spans(text: ParsedText) -> set[Hashable]:
    return {(text.tokens[first][0], text.tokens[end - 1][1]) for first, end in text.sentences if first < end}


def _head_spans(text: ParsedText) -> list[Span | None]:
    return [text.tokens[head] if head >= 0 else None for head in text.heads]


def _f1(
    gold: Sequence[ParsedText],
    predicted: Sequence[ParsedText],
    facts: Callable[[ParsedText], set[Hashable]],
) -> float:
    """F1 = 2 |G ∩ P| / (|G| + |P|), the sets counted over all texts; 1 where there is nothing to find."""
    right = total = 0
    for gold_text, predicted_text in zip(gold, predicted, strict=True):
        expected, found = facts(gold_text), facts(predicted_text)
        right += len(expected & found)
        total += len(expected) + len(found)
    return 2 * right / total if total else 1.0
