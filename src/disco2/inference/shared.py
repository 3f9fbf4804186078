"""The entities that both arguments of a pair speak of, as a user wants to see them."""

from __future__ import annotations

from bisect import bisect_left

from disco2.data import Argument, Document, Mention
from disco2.data.tree import MentionIndex
from disco2.inference.candidates import Candidate
from disco2.inference.prediction import SharedEntity, Span


def shared_mentions(candidate: Candidate, mentions: MentionIndex) -> tuple[SharedEntity, ...]:
    """The chains with a mention in each argument; a mention is where its head is, as the model has it."""
    relation, document = candidate.instance.relation, candidate.instance.document
    first = _by_chain(relation.arg1, mentions)
    second = _by_chain(relation.arg2, mentions)
    return tuple(
        SharedEntity(
            chain,
            tuple(mention_span(document, relation.arg1, one, candidate.origins[0]) for one in found),
            tuple(mention_span(document, relation.arg2, one, candidate.origins[1]) for one in second[chain]),
        )
        for chain, found in first.items()
        if chain in second
    )


def mention_span(document: Document, argument: Argument, mention: Mention, origin: int) -> Span:
    """The text of a mention as far as it lies in the argument, its offsets counted from ``origin``."""
    first, last = max(mention.start, argument.tokens[0]), min(mention.end - 1, argument.tokens[-1])
    start, end = document.tokens[first].start, document.tokens[last].end
    return Span(document.text[start:end], start - origin, end - origin)


def _by_chain(argument: Argument, mentions: MentionIndex) -> dict[str, list[Mention]]:
    tokens = argument.tokens
    found: dict[str, list[Mention]] = {}
    for mention in mentions.between(tokens[0], tokens[-1]):
        if tokens[bisect_left(tokens, mention.head)] == mention.head:
            found.setdefault(mention.chain, []).append(mention)
    return {chain: sorted(some, key=lambda mention: mention.start) for chain, some in found.items()}
