"""Tokens, sentences, tags and dependencies against gold ones, as in the CoNLL 2018 shared task.

Everything is an F1: what is right, twice, over what there is in gold and prediction together. Tokens and
sentences are right where their characters are the same. A tag is right on a token that is right, and a head
where the token it leads to is right as well (Zeman et al. 2018). Where both have the same tokens, these are
the accuracies that everybody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

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
    """The scores over all texts together; gold and predicted ones are those of the same texts, in order."""
    return SyntaxScores(
        tokens=_f1(gold, predicted, token_facts),
        sentences=_f1(gold, predicted, sentence_facts),
        tags=_f1(gold, predicted, tag_facts),
        unlabelled=_f1(gold, predicted, head_facts),
        labelled=_f1(gold, predicted, label_facts),
    )


def token_facts(text: ParsedText) -> set[Hashable]:
    """The characters of each token."""
    return set(text.tokens)


def sentence_facts(text: ParsedText) -> set[Hashable]:
    """The characters of each sentence, from its first token to its last."""
    return {(text.tokens[first][0], text.tokens[end - 1][1]) for first, end in text.sentences if first < end}


def tag_facts(text: ParsedText) -> set[Hashable]:
    """Each token with its tag."""
    return set(zip(text.tokens, text.tags, strict=True))


def head_facts(text: ParsedText) -> set[Hashable]:
    """Each token with its head's characters; a root has none."""
    return set(zip(text.tokens, _head_spans(text), strict=True))


def label_facts(text: ParsedText) -> set[Hashable]:
    """Each token with its head's characters and its label."""
    return set(zip(text.tokens, _head_spans(text), text.labels, strict=True))


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
