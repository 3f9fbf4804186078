"""What to look up for a token that has no vector of its own: a short table and three rules.

Vector files differ in how they spell punctuation and clitics, and the shipped ones lack one-letter words,
clitics and numerals. A stand-in is tried last, after the word itself and its lower-case form, so a file that
knows the word wins.
"""

from __future__ import annotations

import re

TABLE: dict[str, tuple[str, ...]] = {
    "a": ("an",),
    "i": ("me",),
    "'s": ("its",),
    "n't": ("not",),
    "'m": ("am",),
    "'re": ("are",),
    "'ve": ("have",),
    "'ll": ("will",),
    "'d": ("would",),
    "--": ("-",),
    "–": ("--", "-"),  # noqa: RUF001  an en dash
    "—": ("--", "-"),
    "―": ("--", "-"),
    "...": ("…",),
    "``": ('"',),
    "''": ('"',),
    "-lrb-": ("(",),
    "-rrb-": (")",),
    "-lsb-": ("[",),
    "-rsb-": ("]",),
    "-lcb-": ("{",),
    "-rcb-": ("}",),
    "u.s.": ("america",),
    "a.m.": ("morning",),
    "p.m.": ("afternoon",),
    "no.": ("number",),
}
ANY_NUMBER = ("10", "ten")
ANY_YEAR = ("2008", "mid-1990s")

_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")
_NUMERAL = re.compile(r"[+-]?[0-9][0-9.,:/]*|[.][0-9]+")
_ABBREVIATION = re.compile(r"[^\W\d_]{2,}[.]")


def stand_ins(word: str) -> tuple[str, ...]:
    """The words whose vectors may stand in for ``word``, the best first.

    Rules, after the table: a typographic apostrophe is a plain one; years and other numerals share one vector
    each; an abbreviation with a single final full stop is looked up without it (``mr.`` as ``mr``).
    """
    plain = word.lower().replace("’", "'")  # noqa: RUF001
    if plain in TABLE:
        return (plain, *TABLE[plain])
    if _YEAR.fullmatch(plain):
        return ANY_YEAR
    if _NUMERAL.fullmatch(plain):
        return ANY_NUMBER
    if _ABBREVIATION.fullmatch(plain):
        return (plain[:-1],)
    return (plain,)


def forms(word: str) -> tuple[str, ...]:
    """The keys under which a word is looked up, in order: itself, lower-case, stand-ins."""
    return tuple(dict.fromkeys((word, word.lower(), *stand_ins(word))))
