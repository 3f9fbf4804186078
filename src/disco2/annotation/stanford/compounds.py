"""Hyphenated words in one piece, as in the Wall Street Journal's trees, which the parser learned from.

Newer treebanks cut ``well-known`` into three tokens. A grammar that never saw a hyphen between two words
takes it for a dash, and cuts the sentence there.
"""

from __future__ import annotations

from collections.abc import Sequence

from disco2.records import Token

HYPHEN = "HYPH"
_PARTICIPLES = frozenset({"VBN", "VBG", "VBD"})
_NOUNS = frozenset({"NN", "NNS"})


def joined_compounds(tokens: Sequence[Token]) -> tuple[list[Token], list[int]]:
    """The words with compounds joined, and for each token the index of the word that it is part of.

    A compound has its last word's tag; it is an adjective if that is a participle (``hard-won``), or if it is
    a noun before another noun (``long-term plan``).
    """
    words: list[Token] = []
    owners: list[int] = []
    start = 0
    while start < len(tokens):
        end = start + 1
        while _goes_on(tokens, end):
            end += 2
        owners.extend([len(words)] * (end - start))
        words.append(tokens[start] if end - start == 1 else _compound(tokens, start, end))
        start = end
    return words, owners


def _goes_on(tokens: Sequence[Token], hyphen: int) -> bool:
    """Whether the token at ``hyphen`` joins the one before it with the one behind it, without a space."""
    if hyphen + 1 >= len(tokens) or tokens[hyphen].tag != HYPHEN:
        return False
    before, joint, behind = tokens[hyphen - 1 : hyphen + 2]
    return before.end == joint.start and joint.end == behind.start and behind.tag != HYPHEN


def _compound(tokens: Sequence[Token], start: int, end: int) -> Token:
    tag = tokens[end - 1].tag
    follower = tokens[end].tag if end < len(tokens) else ""
    if tag in _PARTICIPLES or (tag == "NN" and follower in _NOUNS):
        tag = "JJ"
    text = "".join(token.text for token in tokens[start:end])
    return Token(text, tokens[start].start, tokens[end - 1].end, tag)
