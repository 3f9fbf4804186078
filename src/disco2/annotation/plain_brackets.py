"""Files of brackets in which nothing is odd, as treebanks and parsers write them, read quickly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

# Space to Python and not to treebanks: those of web text have words with a no-break space inside.
_ODD_SPACES = "\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


@dataclass(slots=True)
class GrowingTree:
    """A tree that is being read: its words and tags, and its phrases in pre-order."""

    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)


def plain_trees(
    text: str, *, label_of: Callable[[str], str], word_of: Callable[[str], str], trace: str
) -> list[tuple[GrowingTree, int]] | None:
    """All trees with the lines where they open, counted from 1; None where one has anything odd.

    Behind each opening bracket stands the label of a phrase, or a tag, its word and closing brackets. All
    else is odd: traces, phrases without words, words without tags, trees of one tag, brackets left over.
    """
    before, *pieces = text.split("(")
    if before.strip() or trace in text or any(space in text for space in _ODD_SPACES):
        return None
    trees: list[tuple[GrowingTree, int]] = []
    line, first_piece = 1 + before.count("\n"), 0  # of the tree
    brackets_seen = 0
    open_nodes: list[int] = []
    words, tags, labels, starts, ends, parents = _lists(tree := GrowingTree())
    for number, piece in enumerate(pieces, start=1):
        parts = piece.split()
        if len(parts) < 2:
            parents.append(open_nodes[-1] if open_nodes else -1)
            open_nodes.append(len(labels))
            labels.append(label_of(parts[0] if parts else ""))
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
        tags.append(label_of(parts[0]))
        words.append(word_of(word))
        while closing > 1:
            ends[open_nodes.pop()] = len(words)
            closing -= 1
        if not open_nodes:
            trees.append((tree, line))
            line += "".join(pieces[first_piece:number]).count("\n")
            first_piece = number
            words, tags, labels, starts, ends, parents = _lists(tree := GrowingTree())
    # A bracket that was not seen stands inside a label, a tag or a word.
    return None if open_nodes or brackets_seen != text.count(")") else trees


def _lists(
    tree: GrowingTree,
) -> tuple[list[str], list[str], list[str], list[int], list[int], list[int]]:
    return tree.words, tree.tags, tree.labels, tree.starts, tree.ends, tree.parents
