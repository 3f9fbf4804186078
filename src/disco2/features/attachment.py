"""How the arguments hang together in the dependency trees.

Where both are clauses of one sentence, the head of one often depends on a word of the other, and the label
says how: *advcl*, *conj*, *parataxis*. Between sentences only the labels of the heads are left.
"""

from __future__ import annotations

from collections.abc import Iterator

from disco2.features.argument_heads import ArgumentHead, argument_heads
from disco2.features.tags import tag_of
from disco2.records import Argument, Document, Instance

_MOST_HEADS = 3


def attachment_features(instance: Instance) -> set[str]:
    """Label and tag of each argument's first head, how many heads it has, and how any of them hangs in the
    other argument; nothing for an argument without dependencies.
    """
    doc, relation = instance.document, instance.relation
    firsts, seconds = argument_heads(doc, relation.arg1), argument_heads(doc, relation.arg2)
    found: set[str] = set()
    if firsts:
        found.update(f"arg1 {fact}" for fact in _tops(firsts))
        found.update(f"arg1 hangs in arg2 as {fact}" for fact in _attached(doc, firsts, relation.arg2))
    if seconds:
        found.update(f"arg2 {fact}" for fact in _tops(seconds))
        found.update(f"arg2 hangs in arg1 as {fact}" for fact in _attached(doc, seconds, relation.arg1))
    if firsts and seconds:
        found.add(f"heads: {firsts[0].label}, {seconds[0].label}")
    return found


def _tops(heads: list[ArgumentHead]) -> Iterator[str]:
    top = heads[0]
    yield f"head: {top.label}"
    if top.tag:
        yield f"head: {top.label} {top.tag}"
    count = len(heads)
    yield f"heads: {count}" if count < _MOST_HEADS else f"heads: {_MOST_HEADS} or more"


def _attached(doc: Document, heads: list[ArgumentHead], other: Argument) -> Iterator[str]:
    """For each head that depends on a word of the other argument: label, tags and words of the link."""
    governors = set(other.tokens)
    for head in heads:
        start = head.sentence.start
        if head.governor < 0 or start + head.governor not in governors:
            continue
        yield head.label
        yield f"{head.label} '{doc.tokens[start + head.position].text.lower()}'"
        yield f"{head.label} of '{doc.tokens[start + head.governor].text.lower()}'"
        if head.tag:
            yield f"{head.label} {head.tag}"
            yield f"{head.label} {head.tag} of {tag_of(doc, head.sentence, head.governor)}"
