"""The Penn Treebank's escapes for characters that its brackets need for themselves."""

from __future__ import annotations

import re

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
