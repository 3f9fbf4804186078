"""Chains of coreferent mentions from a spaCy document's span groups, one group a chain.

spacy-experimental's coreference components name them ``coref_clusters_1``, ``coref_clusters_2`` and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc

PREFIX = "coref_clusters"

ChainSpan = tuple[int, int, str]  # the tokens of a mention (end exclusive), and its chain


def chains_of(doc: Doc, *, prefix: str = PREFIX) -> list[ChainSpan] | None:
    """The mentions in all groups called ``prefix_...``, in text order; None where there is no such group."""
    groups = {key: group for key, group in doc.spans.items() if key.startswith(f"{prefix}_")}
    if not groups:
        return None
    found = {
        (span.start, span.end, key[len(prefix) + 1 :])
        for key, group in groups.items()
        for span in group
        if span.end > span.start
    }
    return sorted(found, key=lambda mention: (mention[0], -mention[1], mention[2]))
