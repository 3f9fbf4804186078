"""Layers of a document -> binary argument trees with entity nodes, as flat arrays."""

from disco2.trees.argument_tree import ArgumentTree, argument_tree
from disco2.trees.entities import EntityLink, MentionIndex, MentionIndexes, entity_links, mention_node
from disco2.trees.shared import shared_entities

__all__ = [
    "ArgumentTree",
    "EntityLink",
    "MentionIndex",
    "MentionIndexes",
    "argument_tree",
    "entity_links",
    "mention_node",
    "shared_entities",
]
