"""Gorn addresses: nodes of Penn Treebank trees by sentence and child numbers, as PDTB 2 writes them.

``3,0,1`` is the second child of the first child of the fourth tree's top node. Traces count as children, so
an address only makes sense in the treebank's own trees, not in a parser's output. The unlabelled brackets
around each tree of a ``.mrg`` file do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from disco2.annotation.formats.ptb import TRACE, WRAPPERS
from disco2.corpora.intervals import joined
from disco2.errors import LayerError

GornAddress = tuple[int, ...]

_PIECE = re.compile(r"[()]|[^\s()]+", re.ASCII)


def parse_gorn_list(field: str) -> tuple[GornAddress, ...]:
    """``"0,1;2"`` -> ``((0, 1), (2,))``; empty pieces, of which PDTB 2 has a few, are left out."""
    addresses = []
    for piece in field.split(";"):
        steps = [step.strip() for step in piece.split(",")]
        if all(step.isdecimal() and step.isascii() and len(step) < 10 for step in steps):
            addresses.append(tuple(int(step) for step in steps))
    return tuple(addresses)


@dataclass(slots=True)
class _Node:
    label: str
    start: int  # tokens of the document before the node, traces not counted
    end: int = 0
    children: list[_Node] = field(default_factory=list)


class GornTrees:
    """The trees of one ``.mrg`` file, kept whole so that addresses can be followed."""

    def __init__(self, text: str, *, where: str) -> None:
        self._tops: list[_Node] = []
        self.tokens = 0  # words in all trees, traces not counted
        self._read(text, where)

    def _read(self, text: str, where: str) -> None:
        path: list[_Node] = []
        just_opened = False
        for match in _PIECE.finditer(text):
            piece = match.group()
            if piece == "(":
                node = _Node("", self.tokens)
                if path:
                    path[-1].children.append(node)
                path.append(node)
                just_opened = True
                continue
            if not path:
                raise LayerError(
                    f"'{piece}' stands outside all trees.",
                    where=f"{where}:{text.count(chr(10), 0, match.start()) + 1}",
                    hint="Check that the file holds Penn Treebank brackets.",
                )
            if piece == ")":
                node = path.pop()
                node.end = self.tokens
                if not path:
                    self._tops.append(_top(node))
            elif just_opened:
                path[-1].label = piece
            elif path[-1].label != TRACE:
                self.tokens += 1
            just_opened = False
        if path:
            raise LayerError(
                f"The file ends inside a tree: {len(path)} brackets are still open.",
                where=where,
                hint="The file is probably cut off; fetch it again.",
            )

    def tokens_under(self, address: GornAddress) -> range | None:
        """The document's tokens under a node, none under a trace; None where there is no such node."""
        sentence, *steps = address
        if sentence >= len(self._tops):
            return None
        node = self._tops[sentence]
        for step in steps:
            if step < len(node.children):
                node = node.children[step]
            elif step or node.children:  # an address may go one step below a tag, to the word itself
                return None
        return range(node.start, node.end)

    def runs_under_all(self, addresses: Iterable[GornAddress]) -> list[tuple[int, int]]:
        """Runs of tokens under several nodes, in order and none over another; none if a node is missing."""
        found: list[tuple[int, int]] = []
        for address in addresses:
            tokens = self.tokens_under(address)
            if tokens is None:
                return []
            found.append((tokens.start, tokens.stop))
        return joined(found)


def _top(node: _Node) -> _Node:
    return node.children[0] if node.label in WRAPPERS and len(node.children) == 1 else node
