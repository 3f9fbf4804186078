"""Trees as labelled spans, one span for each unary chain, and back.

A chain of phrases over the same tokens is one span whose label names them from the outermost to the
innermost: ``S+VP``. So a tree of phrases is a set of spans that do not cross, each with one label.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from disco2.records import Constituents

CHAIN = "+"

LabelledSpan = tuple[int, int, str]  # start, end (exclusive), chain of labels


def tree_to_spans(tree: Constituents) -> list[LabelledSpan]:
    """The spans of a tree in pre-order; the first covers the sentence."""
    chains: dict[tuple[int, int], list[str]] = {}
    for label, start, end in zip(tree.labels, tree.starts, tree.ends, strict=True):
        chains.setdefault((start, end), []).append(label)
    return [(start, end, CHAIN.join(labels)) for (start, end), labels in chains.items()]


def spans_to_tree(spans: Iterable[LabelledSpan], tags: Sequence[str]) -> Constituents:
    """The tree of spans that do not cross, one of which covers the sentence, over tokens with these tags."""
    labels: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    parents: list[int] = []
    open_nodes: list[int] = []  # from node 0 down to the last node made
    for start, end, chain in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_nodes and ends[open_nodes[-1]] <= start:
            open_nodes.pop()
        for label in chain.split(CHAIN):
            parents.append(open_nodes[-1] if open_nodes else -1)
            open_nodes.append(len(labels))
            labels.append(label)
            starts.append(start)
            ends.append(end)
    return Constituents(tuple(labels), tuple(starts), tuple(ends), tuple(parents), tuple(tags))
