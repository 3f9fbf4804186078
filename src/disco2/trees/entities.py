"""Coreferent mentions: which nodes of the two argument trees speak of the same entity."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from disco2.records import Document, Mention
from disco2.trees.argument_tree import ArgumentTree, Nodes


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
    return _node(tree.tokens, tree.starts, tree.ends, tree.parent, mention)


def _node(
    tokens: Sequence[int],
    starts: Sequence[int] | Nodes,
    ends: Sequence[int] | Nodes,
    parents: Sequence[int] | Nodes,
    mention: Mention,
) -> int | None:
    head = bisect_left(tokens, mention.head)
    if head == len(tokens) or tokens[head] != mention.head:
        return None
    start, end = bisect_left(tokens, mention.start), bisect_left(tokens, mention.end)
    smallest, node = head, head
    while node >= 0 and start <= starts[node] and ends[node] <= end:
        if starts[node] == start and ends[node] == end:
            return node
        if smallest < len(tokens):
            smallest = node
        node = int(parents[node])
    return smallest


def entity_links(first: ArgumentTree, second: ArgumentTree, mentions: MentionIndex) -> list[EntityLink]:
    """The chains that both arguments mention, in the order of their first mention."""
    of_first, of_second = _by_chain(first, mentions), _by_chain(second, mentions)
    shared = [chain for chain in of_first if chain in of_second]
    first_nodes, second_nodes = _nodes(first, of_first, shared), _nodes(second, of_second, shared)
    return [EntityLink(*link) for link in zip(shared, first_nodes, second_nodes, strict=True)]


def _by_chain(tree: ArgumentTree, mentions: MentionIndex) -> dict[str, list[Mention]]:
    """The mentions whose head is in the argument."""
    tokens = tree.tokens
    between = mentions.between(tokens[0], tokens[-1])
    if between and tokens[-1] - tokens[0] >= len(tokens):  # the argument has gaps
        inside = set(tokens)
        between = [mention for mention in between if mention.head in inside]
    found: defaultdict[str, list[Mention]] = defaultdict(list)
    for mention in between:
        found[mention.chain].append(mention)
    return found


def _nodes(
    tree: ArgumentTree, mentions: Mapping[str, list[Mention]], chains: Sequence[str]
) -> list[tuple[int, ...]]:
    """The nodes of each chain's mentions, sorted, each once."""
    if not chains:
        return []
    starts, ends, parents = tree.starts.tolist(), tree.ends.tolist(), tree.parent.tolist()
    found = []
    for chain in chains:
        nodes = {_node(tree.tokens, starts, ends, parents, mention) for mention in mentions[chain]}
        found.append(tuple(sorted(node for node in nodes if node is not None)))
    return found
