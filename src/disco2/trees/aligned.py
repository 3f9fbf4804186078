"""The aligned pairs of a relation by their place in the text, so that two annotations can be compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from disco2.records import Document, Relation
from disco2.trees.entities import MentionIndex

Place = tuple[int, int]


def aligned_pairs(
    document: Document, relation: Relation, mentions: MentionIndex, *, whole: bool = False
) -> set[tuple[Place, Place]]:
    """Every pair of mentions of one chain, the first in Arg1 and the second in Arg2.

    A mention is in the argument that has its head, as for the nodes of ``entity_links``, and its place is
    that of its head: where the head is right the model aligns the right nodes, even if a modifier was cut
    off. With ``whole`` the place is that of all its words. Places count characters, so that documents with
    different tokens on one text can be compared.
    """
    first = _places(document, relation.arg1.tokens, mentions, whole=whole)
    second = _places(document, relation.arg2.tokens, mentions, whole=whole)
    return {
        (left, right) for chain, places in first.items() for left in places for right in second.get(chain, ())
    }


def _places(
    document: Document, tokens: Sequence[int], mentions: MentionIndex, *, whole: bool
) -> dict[str, set[Place]]:
    argument = set(tokens)
    found: defaultdict[str, set[Place]] = defaultdict(set)
    for mention in mentions.between(tokens[0], tokens[-1]):
        if mention.head in argument:
            start, end = (mention.start, mention.end) if whole else (mention.head, mention.head + 1)
            found[mention.chain].add((document.tokens[start].start, document.tokens[end - 1].end))
    return dict(found)
