"""Scores of layers against gold ones: chains, constituents, tokens, sentences, tags, dependencies.

A chain is a set of mentions; a mention is anything hashable, such as a pair of offsets. Counts are summed
over documents before they are divided, as the reference scorer of the CoNLL shared tasks does (Pradhan et al.
2014).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disco2.evaluation.end_to_end import best_assignment

Chain = AbstractSet[Hashable]
Chains = Sequence[Chain]


class Score(NamedTuple):
    """Recall and precision as fractions that can be summed over documents."""

    recall_part: float = 0
    recall_whole: float = 0
    precision_part: float = 0
    precision_whole: float = 0

    @property
    def recall(self) -> float:
        return self.recall_part / self.recall_whole if self.recall_whole else 0.0

    @property
    def precision(self) -> float:
        return self.precision_part / self.precision_whole if self.precision_whole else 0.0

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True, slots=True)
class CoreferenceScores:
    """The three measures of the CoNLL shared tasks, and the detection of mentions."""

    mentions: Score
    muc: Score
    b_cubed: Score
    ceaf: Score

    @property
    def mean(self) -> float:
        """The mean F1 of MUC, B-cubed and entity-based CEAF."""
        return (self.muc.f1 + self.b_cubed.f1 + self.ceaf.f1) / 3


def score_coreference(documents: Iterable[tuple[Chains, Chains]]) -> CoreferenceScores:
    """The scores over documents, each given as its gold and its predicted chains."""
    pairs = list(documents)
    measures = (mention_detection, muc, b_cubed, ceaf_entities)
    # The four fractions of each measure, summed over documents.
    columns = (zip(*(measure(*pair) for pair in pairs), strict=True) for measure in measures)
    return CoreferenceScores(*(Score(*map(sum, column)) for column in columns))


def mention_detection(gold: Chains, predicted: Chains) -> Score:
    """How many mentions are in some chain of both."""
    there, found = set().union(*gold), set().union(*predicted)
    return Score(len(there & found), len(there), len(there & found), len(found))


def muc(gold: Chains, predicted: Chains) -> Score:
    """Vilain et al. (1995): sum over chains K of |K| - |parts of K|, by sum of |K| - 1.

    The parts of a gold chain are its intersections with the predicted chains, and each mention that is in
    none of them; precision is recall with the two sides exchanged.
    """
    return Score(*_muc_recall(gold, predicted), *_muc_recall(predicted, gold))


def b_cubed(gold: Chains, predicted: Chains) -> Score:
    """Bagga & Baldwin (1998): the mean over gold mentions of |K and R| / |K|, for its chains K and R.

    A mention without a predicted chain adds 0, as in the reference scorer.
    """
    return Score(*_b_cubed_recall(gold, predicted), *_b_cubed_recall(predicted, gold))


def ceaf_entities(gold: Chains, predicted: Chains) -> Score:
    """Luo (2005), phi4: the best assignment of chains one to one, a pair worth 2 |K and R| / (|K| + |R|)."""
    numbers = {mention: index for index, chain in enumerate(predicted) for mention in chain}
    similarity: NDArray[np.float64] = np.zeros((len(gold), len(predicted)))
    for row, chain in enumerate(gold):
        for mention in chain:
            if mention in numbers:
                similarity[row, numbers[mention]] += 1
    sizes = np.array([len(chain) for chain in gold])[:, None] + np.array([len(chain) for chain in predicted])
    similarity = 2 * similarity / np.maximum(sizes, 1).reshape(similarity.shape)
    rows, columns = best_assignment(similarity)
    common = float(similarity[rows, columns].sum())
    return Score(common, len(gold), common, len(predicted))


def _muc_recall(gold: Chains, predicted: Chains) -> tuple[float, float]:
    number = {mention: index for index, chain in enumerate(predicted) for mention in chain}
    part = whole = 0
    for chain in gold:
        parts = {number[mention] for mention in chain if mention in number}
        alone = sum(mention not in number for mention in chain)
        part += len(chain) - len(parts) - alone
        whole += len(chain) - 1
    return part, whole


def _b_cubed_recall(gold: Chains, predicted: Chains) -> tuple[float, float]:
    chain_of = {mention: chain for chain in predicted for mention in chain}
    part = 0.0
    for chain in gold:
        for mention in chain:
            if mention in chain_of:
                part += len(chain & chain_of[mention]) / len(chain)
    return part, sum(len(chain) for chain in gold)


# Brackets of constituents.

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
