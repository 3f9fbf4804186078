"""Which relations' arguments mention a common entity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from disco2.records import Document, Relation
from disco2.trees.argument_tree import argument_tree
from disco2.trees.entities import MentionIndexes, entity_links


def shared_entities(documents: Mapping[str, Document], relations: Iterable[Relation]) -> list[bool]:
    """For each relation, whether its arguments mention a common entity."""
    mentions = MentionIndexes()
    found = []
    for relation in relations:
        document = documents[relation.document]
        first = argument_tree(document, relation.arg1.tokens, relation=relation)
        second = argument_tree(document, relation.arg2.tokens, relation=relation)
        found.append(bool(entity_links(first, second, mentions.of(document))))
    return found
