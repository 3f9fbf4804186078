"""A parser's trees against the gold ones of some documents."""

from __future__ import annotations

from collections.abc import Sequence

from disco2.annotation.annotator import Annotator, Layer
from disco2.evaluation.brackets import Bracket, BracketEvaluation, evaluate_brackets
from disco2.records import Constituents, Document


def evaluate_parser(
    parser: Annotator, documents: Sequence[Document], *, longest: int | None = None
) -> BracketEvaluation:
    """Parse the sentences of documents anew and compare, where a sentence has a tree and is short enough.

    The parser sees the tokens and tags that the documents have.
    """
    parsed = parser.annotate(documents, layers=frozenset({Layer.CONSTITUENTS}))
    gold: list[list[Bracket]] = []
    predicted: list[list[Bracket]] = []
    for truth, guess in zip(documents, parsed, strict=True):
        for true_sentence, guessed_sentence in zip(truth.sentences, guess.sentences, strict=True):
            if true_sentence.constituents is None or (longest is not None and len(true_sentence) > longest):
                continue
            gold.append(_brackets(true_sentence.constituents))
            predicted.append(_brackets(guessed_sentence.constituents))
    return evaluate_brackets(gold, predicted)


def _brackets(tree: Constituents | None) -> list[Bracket]:
    return list(zip(tree.labels, tree.starts, tree.ends, strict=True)) if tree is not None else []
