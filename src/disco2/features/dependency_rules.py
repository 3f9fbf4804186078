"""Rules of the dependency trees: ``gave <- <nsubj> <iobj> <obj>``."""

from __future__ import annotations

from collections import defaultdict

from disco2.records import Argument, Document
from disco2.trees.pieces import pieces


def argument_dependency_rules(doc: Document, argument: Argument) -> set[str]:
    """One rule for each word of the argument that has dependents within the argument.

    The head is a surface form, case kept; the labels stand in the order of the dependents. Dependents outside
    the argument are not seen. Sentences without dependencies give nothing.
    """
    rules: set[str] = set()
    for sentence, positions in pieces(doc, argument.tokens):
        if sentence.dependencies is None:
            continue
        heads, labels = sentence.dependencies.heads, sentence.dependencies.labels
        inside = set(positions)
        dependents: defaultdict[int, list[str]] = defaultdict(list)
        for position in positions:
            if heads[position] in inside:
                dependents[heads[position]].append(labels[position])
        for head, found in dependents.items():
            rules.add(f"{doc.tokens[sentence.start + head].text} <- <{'> <'.join(found)}>")
    return rules
