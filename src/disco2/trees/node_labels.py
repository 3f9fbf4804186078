"""What the nodes of an argument's tree are called: words by their tags, phrases by their labels."""

from __future__ import annotations

from disco2.records import Document
from disco2.trees.argument_tree import ArgumentTree
from disco2.trees.pieces import pieces


def node_labels(document: Document, tree: ArgumentTree) -> list[str]:
    """[2n-1]: a leaf's part of speech; the phrase that an inner node covers word for word, else "".

    Of phrases with the same words, one above the other, the topmost gives its name: a binary tree has one
    node for all of them. A node that only binarising made, or that joins parts of an argument, has no name.
    """
    leaves = tree.leaves
    labels = [document.tokens[token].tag for token in tree.tokens] + [""] * (leaves - 1)
    piece_of = [0] * leaves  # the number of the sentence that each leaf is in
    local = [0] * leaves  # its place there
    names: list[dict[tuple[int, int], str]] = []
    first = 0
    for sentence, places in pieces(document, tree.tokens):
        phrases = sentence.constituents
        named: dict[tuple[int, int], str] = {}
        for leaf, place in enumerate(places, start=first):
            piece_of[leaf], local[leaf] = len(names), place
            if phrases is not None and not labels[leaf]:
                labels[leaf] = phrases.tags[place]
        if phrases is not None:
            for label, start, end in zip(phrases.labels, phrases.starts, phrases.ends, strict=True):
                named.setdefault((start, end), label)  # in pre-order the outer one comes first
        names.append(named)
        first += len(places)
    for node in range(leaves, 2 * leaves - 1):
        start, last = int(tree.starts[node]), int(tree.ends[node]) - 1
        together = local[last] - local[start] == last - start
        if piece_of[start] == piece_of[last] and together:
            labels[node] = names[piece_of[start]].get((local[start], local[last] + 1), "")
    return labels
