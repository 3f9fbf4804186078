"""Layers of a document -> binary argument trees with entity nodes, as flat arrays.

Layout: an argument of n tokens has the leaves 0 .. n-1 in text order and the inner nodes n .. 2n-2, every
child before its parent, so the root is the last node and one loop over the inner nodes walks it upwards. A
one-word argument is a single leaf that is also the root.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.data import Constituents, Document, Mention, Relation, Sentence
from disco2.data.records import find_runs
from disco2.errors import InputError, LayerError


def pieces(doc: Document, tokens: Sequence[int]) -> Iterator[tuple[Sentence, list[int]]]:
    """Each sentence that an argument's tokens touch, with those that are in it.

    The tokens count from the sentence's first one, as the sentence's layers do, and are in order.
    """
    first = 0
    while first < len(tokens):
        sentence = doc.sentences[doc.sentence_index(tokens[first])] if doc.sentences else Sentence(0, 0)
        last = bisect_left(tokens, sentence.end, first)
        if last == first:
            raise LayerError(f"Token {tokens[first]} of an argument lies in no sentence.", where=doc.id)
        yield sentence, [token - sentence.start for token in tokens[first:last]]
        first = last


Nodes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class ArgumentTree:
    """Binary tree over the tokens of one argument; node numbers as the module's docstring says."""

    tokens: tuple[int, ...]  # the document's tokens at the leaves
    left: Nodes  # [n-1] left child of inner node n+j
    right: Nodes  # [n-1] right child of inner node n+j
    parent: Nodes  # [2n-1] -1 for the root
    starts: Nodes  # [2n-1] first leaf below a node
    ends: Nodes  # [2n-1] last leaf below a node, plus one

    @property
    def leaves(self) -> int:
        return len(self.tokens)

    @property
    def root(self) -> int:
        return 2 * len(self.tokens) - 2

    def sibling(self, node: int) -> int:
        """The other child of a node's parent."""
        inner = int(self.parent[node]) - self.leaves
        left = int(self.left[inner])
        return int(self.right[inner]) if left == node else left


def argument_tree(document: Document, tokens: tuple[int, ...], *, relation: Relation) -> ArgumentTree:
    """Join the maximal subtrees inside an argument by a right-branching superstructure.

    Unary chains collapse, and n-ary nodes branch to the right, keeping the order of the words. A sentence
    without constituents counts as one flat phrase.
    """
    if not tokens:
        raise InputError(
            f"An argument of relation {relation.id} has no token in the text of document {document.id}.",
            where=relation.where,
            hint="Check the argument's spans against the text, or leave the relation out.",
        )
    builder = _Builder(len(tokens))
    subtrees: list[int] = []
    first_leaf = 0
    for sentence, local in pieces(document, tokens):
        if sentence.constituents is None:
            subtrees.append(builder.join(range(first_leaf + len(local) - 1, first_leaf - 1, -1)))
        else:
            # A phrase lies inside the argument when all its tokens do: then it lies inside one run of them.
            roots: list[int] = []
            for begin, end in reversed(find_runs(local)):
                first_of_run = first_leaf + bisect_left(local, begin)
                roots += builder.subtrees(sentence.constituents, begin, end, first_of_run)
            subtrees += reversed(roots)
        first_leaf += len(local)
    builder.join(subtrees[::-1])
    return builder.tree(tokens)


class _Builder:
    """Grows inner nodes on top of n leaves."""

    def __init__(self, leaves: int) -> None:
        self.left: list[int] = []
        self.right: list[int] = []
        self.parent = [-1] * (2 * leaves - 1)
        self.starts = [*range(leaves)]
        self.ends = [*range(1, leaves + 1)]

    def join(self, nodes: Sequence[int]) -> int:
        """The root of a right-branching tree over the given nodes, which come from right to left."""
        left, right, parent, starts, ends = self.left, self.right, self.parent, self.starts, self.ends
        top = nodes[0]
        for node in nodes[1:]:
            inner = len(starts)
            left.append(node)
            right.append(top)
            parent[node] = parent[top] = inner
            starts.append(starts[node])
            ends.append(ends[top])
            top = inner
        return top

    def subtrees(self, phrases: Constituents, begin: int, end: int, first_leaf: int) -> list[int]:
        """Build the maximal subtrees over the tokens ``begin`` to ``end``; their roots from right to left.

        Pre-order puts children behind their parents and sorts phrases by where they start, so a walk from the
        back meets every child before its parent, and the words from right to left.
        """
        starts, ends, first_leaf_below = phrases.starts, phrases.ends, self.starts
        to_leaf = first_leaf - begin
        roots: list[int] = []  # finished nodes without a parent, from right to left
        reached = end + to_leaf  # they cover the leaves from here on
        for node in range(bisect_right(starts, end - 1) - 1, bisect_left(starts, begin) - 1, -1):
            if ends[node] > end or ends[node] == starts[node]:
                continue
            start = starts[node] + to_leaf
            while reached > start:  # words of this phrase, or behind it, that no smaller phrase covers
                reached -= 1
                roots.append(reached)
            first, stop = len(roots) - 1, ends[node] + to_leaf
            while first and first_leaf_below[roots[first - 1]] < stop:
                first -= 1
            if first < len(roots) - 1:  # not only the one that a unary chain ends in
                roots[first:] = [self.join(roots[first:])]
        roots.extend(range(reached - 1, first_leaf - 1, -1))
        return roots

    def tree(self, tokens: tuple[int, ...]) -> ArgumentTree:
        lists = (self.left, self.right, self.parent, self.starts, self.ends)
        return ArgumentTree(tokens, *(np.array(some, dtype=np.int32) for some in lists))


def node_labels(document: Document, tree: ArgumentTree) -> list[str]:
    """[2n-1]: a leaf's part of speech; the phrase that an inner node covers word for word, else "".

    Of phrases with the same words, one above the other, the topmost gives its name: a binary tree has one
    node for all of them. Nodes from binarisation and nodes that join parts of an argument have no name.
    """
    labels = [document.tokens[token].tag for token in tree.tokens] + [""] * (tree.leaves - 1)
    names: dict[tuple[int, int], str] = {}  # of phrases, by their first leaf and the one behind the last
    first = 0
    for sentence, places in pieces(document, tree.tokens):
        if (phrases := sentence.constituents) is not None:
            for leaf, place in enumerate(places, start=first):
                labels[leaf] = labels[leaf] or phrases.tags[place]
            for label, start, end in zip(phrases.labels, phrases.starts, phrases.ends, strict=True):
                begin, stop = bisect_left(places, start), bisect_left(places, end)
                if stop - begin == end - start:
                    names.setdefault((first + begin, first + stop), label)  # the outer one comes first
        first += len(places)
    for node in range(tree.leaves, 2 * tree.leaves - 1):
        labels[node] = names.get((int(tree.starts[node]), int(tree.ends[node])), "")
    return labels


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

    def by_chain(self, tokens: Sequence[int]) -> dict[str, list[Mention]]:
        """The mentions whose head is one of the ascending tokens of an argument."""
        inside, found = set(tokens), dict[str, list[Mention]]()
        for mention in self.between(tokens[0], tokens[-1]) if tokens else ():
            if mention.head in inside:
                found.setdefault(mention.chain, []).append(mention)
        return found


class MentionIndexes:
    """One index for each document object, made on first use."""

    def __init__(self) -> None:
        # Holding the document keeps its id() from being used again.
        self._kept: dict[int, tuple[Document, MentionIndex]] = {}

    def of(self, document: Document) -> MentionIndex:
        if id(document) not in self._kept:
            self._kept[id(document)] = (document, MentionIndex(document))
        return self._kept[id(document)][1]


def mention_node(tree: ArgumentTree, mention: Mention) -> int | None:
    """The node that stands for a mention in an argument, or None if its head is elsewhere.

    It is the node that spans just the part of the mention that lies in the argument; else the smallest inner
    node that covers the head and stays inside the mention; else the head's leaf.
    """
    tokens = tree.tokens
    head = bisect_left(tokens, mention.head)
    if head == len(tokens) or tokens[head] != mention.head:
        return None
    start, end = bisect_left(tokens, mention.start), bisect_left(tokens, mention.end)
    smallest, node = head, head
    while node >= 0 and start <= tree.starts[node] and tree.ends[node] <= end:
        if tree.starts[node] == start and tree.ends[node] == end:
            return node
        if smallest < len(tokens):
            smallest = node
        node = int(tree.parent[node])
    return smallest


def entity_links(first: ArgumentTree, second: ArgumentTree, mentions: MentionIndex) -> list[EntityLink]:
    """The chains that both arguments mention, in the order of their first mention."""
    of_first, of_second = mentions.by_chain(first.tokens), mentions.by_chain(second.tokens)
    return [
        EntityLink(chain, _nodes(first, mentioned), _nodes(second, of_second[chain]))
        for chain, mentioned in of_first.items()
        if chain in of_second
    ]


def _nodes(tree: ArgumentTree, mentions: Iterable[Mention]) -> tuple[int, ...]:
    """The nodes of some mentions, sorted, each once."""
    nodes = {mention_node(tree, mention) for mention in mentions}
    return tuple(sorted(node for node in nodes if node is not None))


def shared_entities(documents: Mapping[str, Document], relations: Iterable[Relation]) -> list[bool]:
    """For each relation, whether its arguments mention a common entity."""
    indexes = MentionIndexes()
    found = []
    for relation in relations:
        mentions = indexes.of(documents[relation.document])
        first, second = mentions.by_chain(relation.arg1.tokens), mentions.by_chain(relation.arg2.tokens)
        found.append(not first.keys().isdisjoint(second))
    return found


Place = tuple[int, int]


def aligned_pairs(document: Document, relation: Relation, mentions: MentionIndex) -> set[tuple[Place, Place]]:
    """Every pair of mentions of one chain, the first in Arg1 and the second in Arg2.

    A mention is in the argument that has its head, as for the nodes of ``entity_links``, and its place is
    that of its head: where the head is right the model aligns the right nodes, even if a modifier was cut
    off. Places count characters, so that documents with different tokens on one text can be compared.
    """

    def place(mention: Mention) -> Place:
        head = document.tokens[mention.head]
        return head.start, head.end

    second = mentions.by_chain(relation.arg2.tokens)
    return {
        (place(left), place(right))
        for chain, some in mentions.by_chain(relation.arg1.tokens).items()
        for left in some
        for right in second.get(chain, ())
    }
