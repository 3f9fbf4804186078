"""Penn Treebank brackets -> words and phrases, sentence by sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from disco2.annotation.escapes import unescape
from disco2.annotation.plain_brackets import GrowingTree, plain_trees
from disco2.errors import LayerError
from disco2.records import Constituents

TRACE = "-NONE-"
WRAPPERS = frozenset({"", "ROOT", "TOP", "S1"})
ROOT = "ROOT"

# Whitespace is ASCII only: treebanks of web text have words with a no-break space inside.
_PIECE = re.compile(
    r"\(\s*+([^\s()]++)\s++([^\s()]++)\s*+\)"  # 1, 2: a tag and its word
    r"|\(\s*+([^\s()]*+)"  # 3: a phrase opens
    r"|(\))"  # 4: a phrase closes
    r"|[^\s()]++",  # a word that no tag holds
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class BracketedSentence:
    """The words under one tree, unescaped and without traces, and the phrases over them."""

    words: tuple[str, ...]
    constituents: Constituents
    line: int  # where the tree opens, counted from 1


def parse_brackets(text: str, *, where: str) -> list[BracketedSentence]:
    """All trees of a ``.mrg`` file or of a parser's output, in order; ``where`` names the file in errors.

    Trees of nothing but traces are passed over. Unbalanced brackets, trees without any leaf, and words
    outside brackets or without a tag raise LayerError with the line.
    """
    text = text.removeprefix("\ufeff")
    trees = plain_trees(text, label_of=bare_label, word_of=unescape, trace=TRACE)
    if trees is None:
        return _read_with_care(text, where=where)
    return [BracketedSentence(tuple(tree.words), _finished(tree), line) for tree, line in trees]


def _read_with_care(text: str, *, where: str) -> list[BracketedSentence]:
    """The same for any text; the place of every fault is known."""
    sentences: list[BracketedSentence] = []
    tree = GrowingTree()
    open_nodes: list[int] = []
    only_traces = False
    opened_at, counted_to, line = 0, 0, 1

    for piece in _PIECE.finditer(text):
        kind = piece.lastindex
        if not open_nodes and kind in (2, 3):
            opened_at, tree, only_traces = piece.start(), GrowingTree(), False
            line += text.count("\n", counted_to, opened_at)
            counted_to = opened_at
        if kind == 2:
            tag, word = piece[1], piece[2]
            if tag == TRACE:
                only_traces = True
            else:
                tree.tags.append(bare_label(tag))
                tree.words.append(unescape(word))
            if open_nodes:
                continue
        elif kind == 3:
            label = piece[3]
            open_nodes.append(len(tree.labels))
            tree.parents.append(open_nodes[-2] if len(open_nodes) > 1 else -1)
            tree.labels.append(bare_label(label))
            tree.starts.append(len(tree.words))
            tree.ends.append(-1)
            continue
        elif kind == 4:
            if not open_nodes:
                raise LayerError(
                    "A bracket closes that was never opened.", where=_place(where, text, piece.start())
                )
            node = open_nodes.pop()
            if tree.starts[node] == len(tree.words):  # an empty node is the last one, so this is a pop
                for array in (tree.labels, tree.starts, tree.ends, tree.parents):
                    del array[node:]
            else:
                tree.ends[node] = len(tree.words)
            if open_nodes:
                continue
        elif open_nodes:
            raise LayerError(
                f"The word '{piece[0][:40]}' stands without a tag.", where=_place(where, text, piece.start())
            )
        else:
            raise LayerError(
                f"'{piece[0][:40]}' stands outside all brackets.", where=_place(where, text, piece.start())
            )

        if tree.words:
            sentences.append(BracketedSentence(tuple(tree.words), _finished(tree), line))
        elif not only_traces:
            raise LayerError("This tree has no words.", where=f"{where}:{line}")

    if open_nodes:
        raise LayerError("The tree that opens here is never closed.", where=f"{where}:{line}")
    return sentences


@lru_cache(maxsize=1 << 12)
def bare_label(label: str) -> str:
    """``NP-SBJ=1`` -> ``NP``, ``ADVP|PRT`` -> ``ADVP``; ``-LRB-`` and its like stay."""
    if label.startswith("-"):
        return label
    return re.split(r"(?<=.)[-=|]", label, maxsplit=1)[0]


def _finished(tree: GrowingTree) -> Constituents:
    labels, starts, ends, parents = tree.labels, tree.starts, tree.ends, tree.parents
    length = len(tree.words)
    wrappers = 0
    while (
        wrappers + 1 < len(labels)
        and labels[wrappers] in WRAPPERS
        and starts[wrappers + 1] == 0
        and ends[wrappers + 1] == length
    ):
        wrappers += 1
    if wrappers:
        labels, starts, ends = labels[wrappers:], starts[wrappers:], ends[wrappers:]
        parents = [-1, *[parent - wrappers for parent in parents[wrappers + 1 :]]]
    if not labels:  # a tag and its word, and nothing above them
        labels, starts, ends, parents = [ROOT], [0], [length], [-1]
    if labels[0] in WRAPPERS:
        labels[0] = ROOT
    return Constituents(
        labels=tuple([label or "X" for label in labels]),
        starts=tuple(starts),
        ends=tuple(ends),
        parents=tuple(parents),
        tags=tuple(tree.tags),
    )


def _place(where: str, text: str, position: int) -> str:
    return f"{where}:{text.count(chr(10), 0, position) + 1}"
