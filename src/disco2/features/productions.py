"""Production rules of the constituent trees: ``NP -> DT NN`` and ``NN -> burger``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from disco2.records import Argument, Constituents, Document
from disco2.trees.pieces import pieces


def argument_productions(doc: Document, argument: Argument) -> set[str]:
    """The rules of all phrases that lie wholly within the argument, and ``tag -> word`` for its tokens.

    Trees are taken as they are: unary chains are kept and nothing is binarised. Words keep their case.
    Sentences without a tree give nothing.
    """
    rules: set[str] = set()
    for sentence, positions in pieces(doc, argument.tokens):
        if sentence.constituents is None:
            continue
        tree = sentence.constituents
        rules.update(_phrase_rules(tree, positions))
        for position in positions:
            rules.add(f"{tree.tags[position]} -> {doc.tokens[sentence.start + position].text}")
    return rules


def _phrase_rules(tree: Constituents, positions: Sequence[int]) -> Iterator[str]:
    # run_end[i] is where the unbroken run of argument tokens through token i ends; 0 outside the argument.
    run_end = [0] * (len(tree.tags) + 1)
    for position in reversed(positions):
        run_end[position] = run_end[position + 1] or position + 1

    # Pre-order visits the children of a phrase in text order, so that each child first hands its parent the
    # tags of the bare tokens between it and the child before.
    children: dict[int, list[str]] = {}
    handed = list(tree.starts)
    for node, (start, end, parent) in enumerate(zip(tree.starts, tree.ends, tree.parents, strict=True)):
        if not start < end <= run_end[start]:
            continue
        children[node] = []
        if parent in children:
            children[parent].extend(tree.tags[handed[parent] : start])
            children[parent].append(tree.labels[node])
            handed[parent] = end
    for node, labels in children.items():
        labels.extend(tree.tags[handed[node] : tree.ends[node]])
        yield f"{tree.labels[node]} -> {' '.join(labels)}"
