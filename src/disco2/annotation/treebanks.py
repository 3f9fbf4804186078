"""Readers of treebank files: CoNLL-U (words, tags, dependencies) and Penn Treebank brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from disco2.data import Constituents, Dependencies
from disco2.data.records import token_in_cycle
from disco2.errors import LayerError

COLUMNS = 10
_NO_FORM = "_"  # how CoNLL-U writes an empty cell
_NEW_DOCUMENT = ("newdoc id", "newdoc_id", "newdoc")  # the second in some corpora of DISRPT


@dataclass(frozen=True, slots=True)
class ConlluSentence:
    """The syntactic words of one sentence, with their tags (XPOS, or UPOS where that is ``_``)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    dependencies: Dependencies | None  # None if the file has no heads
    line: int  # of its first token, counted from 1
    document: str = ""  # the last ``# newdoc id`` before it
    text: str = ""
    glued: tuple[bool, ...] = ()  # true where no space follows the word
    opens_paragraph: bool = False


def parse_conllu(text: str, *, where: str) -> list[ConlluSentence]:
    """All sentences of a CoNLL-U file; ``where`` names the file in errors.

    Multiword ranges (``1-2``) and empty nodes (``1.1``) are skipped. The words inside a range are glued,
    unless the range runs backwards or overlaps the previous one. A word without a form becomes ``_``, because
    heads refer to its number.
    """
    sentences: list[ConlluSentence] = []
    rows: list[tuple[int, list[str]]] = []  # with their lines
    ranges: list[tuple[int, int, bool]] = []  # first and last number, whether no space follows
    document = ""
    comments: dict[str, str] = {}

    # The added blank line ends the last sentence.
    for number, line in enumerate((*text.removeprefix("\ufeff").split("\n"), ""), start=1):
        row = line.split("\t")
        if len(row) == COLUMNS and row[0].isdecimal():
            rows.append((number, row))
        elif not line or line.isspace():
            if rows:
                sentences.append(_sentence(rows, ranges, document, comments, where=where))
                rows, comments = [], {}
            ranges = []
        elif line[0] == "#":
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
            if key.strip() in _NEW_DOCUMENT:
                document = value.strip()
        elif len(row) != COLUMNS:
            raise LayerError(
                f"{len(row)} columns where CoNLL-U has {COLUMNS}, separated by tabs.",
                where=f"{where}:{number}",
            )
        elif "-" in row[0]:
            first, _, last = row[0].partition("-")
            if not (_is_number(first) and _is_number(last)):
                raise _no_number(row[0], where, number)
            # Overlapping ranges could take quadratic time.
            if (ranges[-1][1] if ranges else 0) < int(first) <= int(last):
                ranges.append((int(first), int(last), "SpaceAfter=No" in row[9]))
        elif "." not in row[0]:
            raise _no_number(row[0], where, number)
    return sentences


def _sentence(
    rows: Sequence[tuple[int, Sequence[str]]],
    ranges: Sequence[tuple[int, int, bool]],
    document: str,
    comments: dict[str, str],
    *,
    where: str,
) -> ConlluSentence:
    _, words, _, upos, xpos, _, _, labels, _, misc = zip(*(row for _, row in rows), strict=True)
    glued = ["SpaceAfter=No" in cell for cell in misc]
    for first, last, ends_glued in ranges:
        for token in range(first, min(last, len(rows)) + 1):
            glued[token - 1] = token < last or ends_glued
    heads = _heads(rows, where=where)
    return ConlluSentence(
        words=tuple([word if word.strip() else _NO_FORM for word in words]),
        tags=tuple([other if tag == "_" else tag for tag, other in zip(xpos, upos, strict=True)]),
        dependencies=None if heads is None else Dependencies(heads, labels),
        line=rows[0][0],
        document=document,
        text=comments.get("text", ""),
        glued=tuple(glued),
        opens_paragraph="newpar" in comments or "newpar id" in comments,
    )


def _heads(rows: Sequence[tuple[int, Sequence[str]]], *, where: str) -> tuple[int, ...] | None:
    """The heads, counted from 0; None if no token has one."""
    found: list[int] = []
    for index, (line, row) in enumerate(rows, start=1):
        number, head = row[0], row[6]
        if number != str(index):
            raise _no_number(number, where, line)
        if head == "_":
            continue
        value = int(head) if _is_number(head) else -1
        if not 0 <= value <= len(rows) or value == index:
            raise _no_number(head, where, line)
        found.append(value - 1)
    if not found:
        return None
    if len(found) < len(rows) or token_in_cycle(found) is not None:
        what = "Some tokens of this sentence have no head, or the heads form a cycle."
        raise LayerError(what, where=f"{where}:{rows[0][0]}")
    return tuple(found)


def _no_number(cell: str, where: str, line: int) -> LayerError:
    what = f"'{cell[:40]}' is not the number of the next token, of a head in the sentence, or a range."
    return LayerError(what, where=f"{where}:{line}")


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10


# Penn Treebank brackets: words and phrases.

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
BRACKETS |= {escape.lower(): bracket for escape, bracket in BRACKETS.items()}

_ESCAPE = re.compile("|".join(map(re.escape, BRACKETS)) + r"|\\([/*])")


def unescape(word: str) -> str:
    r"""``-LRB-`` -> ``(``, ``1\/2`` -> ``1/2``, ``\*`` -> ``*``; quotes stay as they are."""
    if "-" not in word and "\\" not in word:
        return word
    return _ESCAPE.sub(lambda match: match[1] or BRACKETS[match[0]], word)


TRACE = "-NONE-"
WRAPPERS = frozenset({"", "ROOT", "TOP", "S1"})
ROOT = "ROOT"

# Whitespace is ASCII only: treebanks of web text have words with a no-break space inside.
_PIECE = re.compile(
    r"\(\s*+([^\s()]++)\s++([^\s()]++)\s*+\)"  # 1, 2: a tag and its word
    r"|\(\s*+([^\s()]*+)"  # 3: a phrase opens
    r"|(\))"  # 4: a phrase closes
    r"|[^\s()]++",  # a word without a tag
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class BracketedSentence:
    """The words under one tree, unescaped and without traces, and the phrases over them."""

    words: tuple[str, ...]
    constituents: Constituents
    line: int  # where the tree opens, counted from 1


@dataclass(slots=True)
class _GrowingTree:
    """Words and tags, and phrases in pre-order."""

    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)


def parse_brackets(text: str, *, where: str) -> list[BracketedSentence]:
    """All trees of a ``.mrg`` file or of a parser's output, in order; ``where`` names the file in errors.

    Trees with only traces are skipped. Unbalanced brackets, trees without leaves, and words outside brackets
    or without a tag raise LayerError with the line.
    """
    text = text.removeprefix("\ufeff")
    sentences: list[BracketedSentence] = []
    tree = _GrowingTree()
    open_nodes: list[int] = []
    only_traces = False
    counted_to, line = 0, 1

    def fault(what: str, position: int) -> LayerError:
        return LayerError(what, where=f"{where}:{text.count(chr(10), 0, position) + 1}")

    for piece in _PIECE.finditer(text):
        kind = piece.lastindex
        if not open_nodes and kind in (2, 3):
            tree, only_traces = _GrowingTree(), False
            line += text.count("\n", counted_to, piece.start())
            counted_to = piece.start()
        if kind == 2:
            tag, word = piece[1], piece[2]
            if tag == TRACE:
                only_traces = True
            else:
                tree.tags.append(bare_label(tag))
                tree.words.append(unescape(word))
        elif kind == 3:
            open_nodes.append(len(tree.labels))
            tree.parents.append(open_nodes[-2] if len(open_nodes) > 1 else -1)
            tree.labels.append(bare_label(piece[3]))
            tree.starts.append(len(tree.words))
            tree.ends.append(-1)
        elif kind == 4:
            if not open_nodes:
                raise fault("A bracket closes that was never opened.", piece.start())
            node = open_nodes.pop()
            if tree.starts[node] == len(tree.words):  # an empty node is the last one, so this is a pop
                for array in (tree.labels, tree.starts, tree.ends, tree.parents):
                    del array[node:]
            else:
                tree.ends[node] = len(tree.words)
        elif open_nodes:
            raise fault(f"The word '{piece[0][:40]}' stands without a tag.", piece.start())
        else:
            raise fault(f"'{piece[0][:40]}' stands outside all brackets.", piece.start())

        if open_nodes:
            continue
        if tree.words:
            sentences.append(BracketedSentence(tuple(tree.words), _finished(tree), line))
        elif not only_traces:
            raise LayerError("This tree has no words.", where=f"{where}:{line}")

    if open_nodes:
        raise LayerError("The tree that opens here is never closed.", where=f"{where}:{line}")
    return sentences


@lru_cache(maxsize=1 << 12)
def bare_label(label: str) -> str:
    """``NP-SBJ=1`` -> ``NP``, ``ADVP|PRT`` -> ``ADVP``; ``-LRB-`` and similar tags stay."""
    if label.startswith("-"):
        return label
    return re.split(r"(?<=.)[-=|]", label, maxsplit=1)[0]


def _finished(tree: _GrowingTree) -> Constituents:
    """The phrases without wrappers around the whole; the first one is called ROOT if it is a wrapper."""
    labels, starts, ends, parents = tree.labels, tree.starts, tree.ends, tree.parents
    length = len(tree.words)
    first = 0
    while labels[first : first + 1] and labels[first] in WRAPPERS:
        if (starts[first + 1 : first + 2], ends[first + 1 : first + 2]) != ([0], [length]):
            break
        first += 1
    if first:
        labels, starts, ends = labels[first:], starts[first:], ends[first:]
        parents = [-1, *[parent - first for parent in parents[first + 1 :]]]
    if not labels:  # a single tag with its word
        labels, starts, ends, parents = [ROOT], [0], [length], [-1]
    if labels[0] in WRAPPERS:
        labels[0] = ROOT
    names = tuple([label or "X" for label in labels])
    return Constituents(names, tuple(starts), tuple(ends), tuple(parents), tuple(tree.tags))
