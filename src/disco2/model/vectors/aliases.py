"""What to look up for a token that has no vector of its own: a short table and three rules.

Vector files differ in how they spell punctuation and clitics, and the shipped ones hold hardly any numerals.
An alias is tried last, after the word itself and its lower-case form, so a file that knows the word wins.
"""

from __future__ import annotations

import re

TABLE = {
    "'d": "would",
    "—": "--",
    "―": "--",
    "...": "…",
    "``": '"',
    "''": '"',
    "-lrb-": "(",
    "-rrb-": ")",
    "-lsb-": "[",
    "-rsb-": "]",
    "-lcb-": "{",
    "-rcb-": "}",
    "a.m.": "morning",
    "p.m.": "afternoon",
    "no.": "number",
}
ANY_NUMBER = "10"
ANY_YEAR = "2008"

_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")
_NUMERAL = re.compile(r"[+-]?[0-9][0-9.,:/]*|[.][0-9]+")
_ABBREVIATION = re.compile(r"[^\W\d_]{2,}[.]")


def alias(word: str) -> str | None:
    """The word whose vector may stand in for ``word``; None where there is no such word.

    Rules, after the table: a typographic apostrophe is a plain one; years and other numerals share one vector
    each; an abbreviation with a single final full stop is looked up without it (``mr.`` as ``mr``).
    """
    plain = word.lower().replace("’", "'")  # noqa: RUF001
    if plain in TABLE:
        return TABLE[plain]
    if _YEAR.fullmatch(plain):
        return ANY_YEAR
    if _NUMERAL.fullmatch(plain):
        return ANY_NUMBER
    if _ABBREVIATION.fullmatch(plain):
        return plain[:-1]
    return plain if plain != word.lower() else None


def forms(word: str) -> tuple[str, ...]:
    """The keys under which a word is looked up, in order: itself, lower-case, alias."""
    stand_in = alias(word)
    keys = (word, word.lower()) if stand_in is None else (word, word.lower(), stand_in)
    return tuple(dict.fromkeys(keys))
