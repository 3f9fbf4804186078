"""The trees of documents against gold ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from disco2.evaluation.brackets import Bracket, BracketEvaluation, evaluate_brackets
from disco2.records import Constituents, Document


def compare_trees(
    gold: Sequence[Document],
    parsed: Sequence[Document],
    *,
    most: int | None = None,
    longest: int | None = None,
) -> BracketEvaluation:
    """Bracket scores over the sentences that have a gold tree; the documents have the same sentences.

    With ``longest`` only sentences of at most so many words count, and with ``most`` only the first so many
    of those, in the order of the documents.
    """
    pairs = list(_trees(gold, parsed, longest=longest))[:most]
    return evaluate_brackets(
        [_brackets(truth) for truth, _ in pairs], [_brackets(guess) for _, guess in pairs]
    )


def _trees(
    gold: Sequence[Document], parsed: Sequence[Document], *, longest: int | None
) -> Iterator[tuple[Constituents, Constituents | None]]:
    for document, other in zip(gold, parsed, strict=True):
        for sentence, guess in zip(document.sentences, other.sentences, strict=True):
            if sentence.constituents is not None and (longest is None or len(sentence) <= longest):
                yield sentence.constituents, guess.constituents


def _brackets(tree: Constituents | None) -> list[Bracket]:
    return list(zip(tree.labels, tree.starts, tree.ends, strict=True)) if tree is not None else []
