"""Coreferent mentions: which nodes of the two argument trees speak of the same entity."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass

from disco2.records import Document, Mention
from disco2.trees.argument_tree import ArgumentTree


@dataclass(frozen=True, slots=True)
class EntityLink:
    """One chain that both arguments mention.

    The aligned set A(m, n) holds every pair of a first and a second node. Keeping the two sides apart lets
    the sum over pairs be taken as a product of sums, so that a long chain stays cheap.
    """

    chain: str
    first: tuple[int, ...]  # nodes of the first argument's tree, without repetition
    second: tuple[int, ...]  # nodes of the second argument's tree

    @property
    def pairs(self) -> int:
        return len(self.first) * len(self.second)


class MentionIndex:
    """The mentions of a document by the place of their heads."""

    def __init__(self, document: Document) -> None:
        self._mentions = sorted(document.mentions or (), key=lambda mention: mention.head)
        self._heads = [mention.head for mention in self._mentions]

    def between(self, first: int, last: int) -> list[Mention]:
        """The mentions whose head is one of the tokens ``first`` to ``last``."""
        return self._mentions[bisect_left(self._heads, first) : bisect_right(self._heads, last)]


class MentionIndexes:
    """One index for each document object, made when it is first asked for."""

    def __init__(self) -> None:
        self._kept: dict[
            int, tuple[Document, MentionIndex]
        ] = {}  # holding the document keeps its id() its own

    def of(self, document: Document) -> MentionIndex:
        if id(document) not in self._kept:
            self._kept[id(document)] = (document, MentionIndex(document))
        return self._kept[id(document)][1]


def mention_node(tree: ArgumentTree, mention: Mention) -> int | None:
    """The node that stands for a mention in an argument, or None if its head is elsewhere.

    It is the node that spans just the part of the mention that lies in the argument; else the smallest inner
    node that covers the head and stays inside the mention; else the head's leaf.
    """
    head = bisect_left(tree.tokens, mention.head)
    if head == tree.leaves or tree.tokens[head] != mention.head:
        return None
    start, end = bisect_left(tree.tokens, mention.start), bisect_left(tree.tokens, mention.end)
    smallest, node = head, head
    while node >= 0 and start <= tree.starts[node] and tree.ends[node] <= end:
        if tree.starts[node] == start and tree.ends[node] == end:
            return node
        if smallest < tree.leaves:
            smallest = node
        node = int(tree.parent[node])
    return smallest


def entity_links(first: ArgumentTree, second: ArgumentTree, mentions: MentionIndex) -> list[EntityLink]:
    """The chains that both arguments mention, in the order of their first mention."""
    first_nodes = _nodes_by_chain(first, mentions)
    second_nodes = _nodes_by_chain(second, mentions)
    return [
        EntityLink(chain, tuple(sorted(nodes)), tuple(sorted(second_nodes[chain])))
        for chain, nodes in first_nodes.items()
        if chain in second_nodes
    ]


def _nodes_by_chain(tree: ArgumentTree, mentions: MentionIndex) -> dict[str, set[int]]:
    nodes: defaultdict[str, set[int]] = defaultdict(set)
    for mention in mentions.between(tree.tokens[0], tree.tokens[-1]):
        node = mention_node(tree, mention)
        if node is not None:
            nodes[mention.chain].add(node)
    return dict(nodes)
