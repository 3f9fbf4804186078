"""Documents with gold mentions and the same with automatic ones -> scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from disco2.evaluation.coreference import Chains, CoreferenceScores, score_coreference
from disco2.records import Document


def coreference_scores(gold: Sequence[Document], automatic: Sequence[Document]) -> CoreferenceScores:
    """The scores over documents, which come in the same order; mentions are compared by their characters."""
    return score_coreference(
        (chains_of(right), chains_of(found)) for right, found in zip(gold, automatic, strict=True)
    )


def chains_of(document: Document) -> Chains:
    """The mentions of each chain as (first character, end); a chain of a single mention is none."""
    tokens = document.tokens
    spans: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
    for mention in document.mentions or ():
        spans[mention.chain].add((tokens[mention.start].start, tokens[mention.end - 1].end))
    return [chain for chain in spans.values() if len(chain) > 1]
