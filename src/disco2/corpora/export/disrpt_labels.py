"""Senses in the words of DISRPT's label column."""

from __future__ import annotations

from collections.abc import Collection

# The 17 labels of DISRPT 2025, to which it maps those of all frameworks.
LABELS_2025 = frozenset(
    {
        "alternation",
        "attribution",
        "causal",
        "comment",
        "concession",
        "condition",
        "conjunction",
        "contrast",
        "elaboration",
        "explanation",
        "frame",
        "mode",
        "organization",
        "purpose",
        "query",
        "reformulation",
        "temporal",
    }
)

# Types of PDTB 2 and 3 -> labels, after the shared task's own table (utils/mapping_disrpt25.json). It lacks
# those of PDTB 2 that are marked; they have the label of what PDTB 3 made of them, or of their like.
_OF_TYPES = {
    "comparison.concession": "concession",
    "comparison.concession+speechact": "concession",
    "comparison.contrast": "contrast",
    "comparison.pragmatic concession": "concession",  # ours
    "comparison.pragmatic contrast": "contrast",  # ours
    "comparison.similarity": "mode",
    "contingency.cause": "causal",
    "contingency.cause+belief": "explanation",
    "contingency.cause+speechact": "explanation",
    "contingency.condition": "condition",
    "contingency.condition+speechact": "condition",
    "contingency.negative-cause": "causal",
    "contingency.negative-condition": "condition",
    "contingency.negative-condition+speechact": "condition",
    "contingency.pragmatic cause": "explanation",  # ours
    "contingency.pragmatic condition": "condition",  # ours
    "contingency.purpose": "purpose",
    "expansion.alternative": "alternation",
    "expansion.conjunction": "conjunction",
    "expansion.disjunction": "alternation",
    "expansion.equivalence": "reformulation",
    "expansion.exception": "contrast",
    "expansion.instantiation": "elaboration",
    "expansion.level-of-detail": "elaboration",
    "expansion.list": "conjunction",  # the table has a bare list
    "expansion.manner": "mode",
    "expansion.restatement": "reformulation",
    "expansion.substitution": "contrast",
    "hypophora": "query",
    "temporal.asynchronous": "temporal",
    "temporal.synchronous": "temporal",
    "temporal.synchrony": "temporal",
}


def label_2025(sense: str) -> str | None:
    """DISRPT 2025's label for a sense of PDTB 2 or 3; None where there is none, as for a bare class."""
    folded = sense.casefold()
    return folded if folded in LABELS_2025 else _OF_TYPES.get(".".join(folded.split(".")[:2]))


def label_like(sense: str, vocabulary: Collection[str], *, of_2025: bool) -> str | None:
    """The label as a table spells it, or in DISRPT 2025's terms; None where the table has nothing like it.

    ``vocabulary`` are the labels that the table has; none where they are hidden.
    """
    by_folding = {label.casefold(): label for label in sorted(vocabulary)}
    if sense.casefold() in by_folding:
        return by_folding[sense.casefold()]
    return label_2025(sense) if of_2025 else None
