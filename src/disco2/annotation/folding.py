"""A text as a stream of characters in which different spellings of one text look the same.

Spaces are gone, brackets and slashes are unescaped, and quotes, dashes and ellipses look alike whatever their
typography: every quotation mark becomes one or two ``'``, so that the treebank's double backquotes, ``''``,
``"`` and the curly ones are all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from disco2.annotation.formats.ptb import BRACKETS

_DOUBLE = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033'
_SINGLE = "'`\u00b4\u2018\u2019\u201a\u201b\u2032"
_HYPHENS = "\u2010\u2011\u2012\u2013\u2212"
_DASHES = "\u2014\u2015"
_INVISIBLE = "\u00ad\u200b\ufeff"
_FOLDS = (
    dict.fromkeys(_DOUBLE, "''")
    | dict.fromkeys(_SINGLE, "'")
    | dict.fromkeys(_HYPHENS, "-")
    | dict.fromkeys(_DASHES, "--")
    | dict.fromkeys(_INVISIBLE, "")
    | {"\u2026": "...", "\u2044": "/"}
    | BRACKETS
    | {r"\/": "/", r"\*": "*"}
)
_FOLDABLE = re.compile("|".join(re.escape(old) for old in sorted(_FOLDS, key=len, reverse=True)) + r"|\s+")


@dataclass(frozen=True, slots=True)
class Folded:
    """The stream; its character i stands for ``text[starts[i]:ends[i]]``.

    ``starts`` has one number more than there are characters: the length of the text.
    """

    characters: str
    starts: Sequence[int]
    ends: Sequence[int]


def fold(text: str) -> Folded:
    """The stream for a text, with the place that each character comes from."""
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for match in _FOLDABLE.finditer(text):
        start, end = match.span()
        if start > position:
            characters.append(text[position:start])
            starts.extend(range(position, start))
            ends.extend(range(position + 1, start + 1))
        new = _FOLDS.get(match[0], "")
        if new:
            characters.append(new)
            starts.extend([start] * len(new))
            ends.extend([end] * len(new))
        position = end
    characters.append(text[position:])
    starts.extend(range(position, len(text) + 1))
    ends.extend(range(position + 1, len(text) + 1))
    return Folded("".join(characters), starts, ends)


def fold_word(word: str) -> str:
    """The folded characters of one word."""
    return _FOLDABLE.sub(lambda match: _FOLDS.get(match[0], ""), word)
