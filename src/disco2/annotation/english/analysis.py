"""What spaCy's components found out about one of its documents, as plain lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from disco2.annotation.projection import SECOND_ROOT
from disco2.records import Dependencies

if TYPE_CHECKING:
    from spacy.tokens import Doc

SPACY_ROOT, ROOT = "ROOT", "root"  # spaCy's name for the root's label, and that of Universal Dependencies


@dataclass(frozen=True, slots=True)
class Analysis:
    """The tokens of a spaCy document, with its sentences; tags and dependencies are empty where not made."""

    starts: Sequence[int]  # characters
    ends: Sequence[int]
    sentences: Sequence[tuple[int, int]]  # spans of tokens
    tags: Sequence[str]
    dependencies: Sequence[Dependencies | None]  # one a sentence


def sentence_spans(doc: Doc) -> list[tuple[int, int]]:
    """The sentences of a document as spans of tokens; without any boundary it is one sentence."""
    starts = np.flatnonzero(doc.to_array("SENT_START").view(np.int64) == 1).tolist()
    bounds = [0, *(start for start in starts if start > 0), len(doc)]
    return list(pairwise(bounds))


def analysis_of(doc: Doc, sentences: Sequence[tuple[int, int]], *, tagged: bool, parsed: bool) -> Analysis:
    """Read off a document with these sentences what the components made."""
    strings = doc.vocab.strings
    starts, lengths = doc.to_array(["IDX", "LENGTH"]).T.tolist()
    tags = [strings[key] for key in doc.to_array("TAG").tolist()] if tagged else []
    dependencies: list[Dependencies | None] = [None] * len(sentences)
    if parsed:
        offsets = doc.to_array("HEAD").view(np.int64)
        heads = (offsets + np.arange(len(doc))).tolist()
        labels = [strings[key] for key in doc.to_array("DEP").tolist()]
        dependencies = [_tree(heads, labels, start, end) for start, end in sentences]
    ends = [start + length for start, length in zip(starts, lengths, strict=True)]
    return Analysis(starts, ends, sentences, tags, dependencies)


def _tree(heads: Sequence[int], labels: Sequence[str], start: int, end: int) -> Dependencies:
    """The dependencies of the tokens ``start`` to ``end``, with one root: a further one hangs on the first.

    A document's heads never go in circles, and a token whose head lies outside counts as a root, so this
    gives a tree.
    """
    tree: list[int] = []
    names: list[str] = []
    root = -1
    for index in range(start, end):
        head = heads[index]
        if head != index and start <= head < end:
            tree.append(head - start)
            names.append(labels[index])
        elif root < 0:
            root = index - start
            tree.append(-1)
            names.append(ROOT)
        else:
            tree.append(root)
            names.append(SECOND_ROOT)
    return Dependencies(tuple(tree), tuple(names))
