"""Penn Treebank brackets -> words and phrases, sentence by sentence.

``parse_brackets`` reads ordinary files by a quick path, ``_plain_trees``. A file with anything odd is read
again by ``_read_with_care``, which knows the place of every fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from disco2.data import Constituents
from disco2.errors import LayerError

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
BRACKETS |= {escape.lower(): bracket for escape, bracket in BRACKETS.items()}

_ESCAPE = re.compile("|".join(map(re.escape, BRACKETS)) + r"|\\([/*])")


def unescape(word: str) -> str:
    r"""``-LRB-`` -> ``(``, ``1\/2`` -> ``1/2``, ``\*`` -> ``*``; quotes stay as they are."""
    if "-" not in word and "\\" not in word:
        return word
    return BRACKETS.get(word) or _ESCAPE.sub(_replacement, word)


def _replacement(match: re.Match[str]) -> str:
    return match[1] or BRACKETS[match[0]]


TRACE = "-NONE-"
WRAPPERS = frozenset({"", "ROOT", "TOP", "S1"})
ROOT = "ROOT"

# Space to Python and not to treebanks: those of web text have words with a no-break space inside.
_ODD_SPACES = "\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
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
    trees = _plain_trees(text)
    if trees is None:
        return _read_with_care(text, where=where)
    return [BracketedSentence(tuple(tree.words), _finished(tree), line) for tree, line in trees]


@dataclass(slots=True)
class _GrowingTree:
    """A tree that is being read: its words and tags, and its phrases in pre-order."""

    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)


def _plain_trees(text: str) -> list[tuple[_GrowingTree, int]] | None:
    """All trees with the lines where they open, counted from 1; None where one has anything odd.

    Behind each opening bracket stands the label of a phrase, or a tag, its word and closing brackets. All
    else is odd: traces, phrases without words, words without tags, trees of one tag, brackets left over.
    """
    before, *pieces = text.split("(")
    if before.strip() or TRACE in text or any(space in text for space in _ODD_SPACES):
        return None
    trees: list[tuple[_GrowingTree, int]] = []
    line, first_piece = 1 + before.count("\n"), 0  # of the tree
    brackets_seen = 0
    open_nodes: list[int] = []
    words, tags, labels, starts, ends, parents = _lists(tree := _GrowingTree())
    for number, piece in enumerate(pieces, start=1):
        parts = piece.split()
        if len(parts) < 2:
            parents.append(open_nodes[-1] if open_nodes else -1)
            open_nodes.append(len(labels))
            labels.append(bare_label(parts[0] if parts else ""))
            starts.append(len(words))
            ends.append(-1)
            continue

        closed_word = parts[1]
        if len(parts) > 2:
            closed_word += "".join(parts[2:])
            if closed_word.rstrip(")") != parts[1].rstrip(")"):
                return None
        word = closed_word.rstrip(")")
        closing = len(closed_word) - len(word)
        if not word or not 0 < closing <= len(open_nodes) + 1 or not open_nodes:
            return None
        brackets_seen += closing
        tags.append(bare_label(parts[0]))
        words.append(unescape(word))
        while closing > 1:
            ends[open_nodes.pop()] = len(words)
            closing -= 1
        if not open_nodes:
            trees.append((tree, line))
            line += "".join(pieces[first_piece:number]).count("\n")
            first_piece = number
            words, tags, labels, starts, ends, parents = _lists(tree := _GrowingTree())
    # A bracket that was not seen stands inside a label, a tag or a word.
    return None if open_nodes or brackets_seen != text.count(")") else trees


def _lists(
    tree: _GrowingTree,
) -> tuple[list[str], list[str], list[str], list[int], list[int], list[int]]:
    return tree.words, tree.tags, tree.labels, tree.starts, tree.ends, tree.parents


def _read_with_care(text: str, *, where: str) -> list[BracketedSentence]:
    """The same for any text; the place of every fault is known."""
    sentences: list[BracketedSentence] = []
    tree = _GrowingTree()
    open_nodes: list[int] = []
    only_traces = False
    opened_at, counted_to, line = 0, 0, 1

    for piece in _PIECE.finditer(text):
        kind = piece.lastindex
        if not open_nodes and kind in (2, 3):
            opened_at, tree, only_traces = piece.start(), _GrowingTree(), False
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


def _finished(tree: _GrowingTree) -> Constituents:
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
