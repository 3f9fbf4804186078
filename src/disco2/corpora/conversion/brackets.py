"""Phrases -> Penn Treebank brackets on one line."""

from __future__ import annotations

from collections.abc import Sequence

from disco2.records import Constituents

_ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}


def write_brackets(constituents: Constituents, words: Sequence[str]) -> str:
    """The tree of a sentence as ``( (S (NP (NN Rain)) (VP (VBZ falls))) )``, its words and tags escaped."""
    pieces: list[str] = ["("]
    open_ends: list[int] = []
    node = 0
    for place, word in enumerate(words):
        while node < len(constituents.labels) and constituents.starts[node] == place:
            pieces.append(f" ({constituents.labels[node] or 'X'}")
            open_ends.append(constituents.ends[node])
            node += 1
        pieces.append(f" ({_escape(constituents.tags[place]) or 'X'} {_escape(word)})")
        while open_ends and open_ends[-1] == place + 1:
            open_ends.pop()
            pieces.append(")")
    return "".join(pieces) + " )"


def _escape(word: str) -> str:
    """Brackets as the treebank spells them; a space inside a word becomes one that does not part words."""
    if word in _ESCAPES:
        return _ESCAPES[word]
    joined = "".join("\u00a0" if character.isspace() else character for character in word)
    return "".join(
        _ESCAPES.get(character, character) if character in "()" else character for character in joined
    )
