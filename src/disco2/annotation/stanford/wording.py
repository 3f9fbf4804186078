"""Words and tags as the Stanford parser wants them: on one line, with the spelling of its training trees.

Only the order of the words matters when its answer comes back, so a word may be sent as another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from disco2.records import Token

# The parser splits at it whatever it finds there, so it must not stand in any word; ASCII, because Java reads
# its command line in the system's encoding.
TAG_SEPARATOR = "\x01"

LONGEST_WORD = 80  # characters

_UNSENDABLE = re.compile(r"[\s\x00-\x20\x7f-\xa0\ud800-\udfff\u200b-\u200f\u2028\u2029\u2060\ufeff]")
_SPELLINGS = str.maketrans(
    {
        "(": "-LRB-",
        ")": "-RRB-",
        "[": "-LSB-",
        "]": "-RSB-",
        "{": "-LCB-",
        "}": "-RCB-",
        "\u2018": "`",
        "\u2019": "'",
        "\u201c": "``",
        "\u201d": "''",
        "\u2026": "...",
        "\u2013": "--",
        "\u2014": "--",
    }
)

_WALL_STREET_JOURNAL = (
    "# $ '' , -LRB- -RRB- . : CC CD DT EX FW IN JJ JJR JJS LS MD NN NNP NNPS NNS PDT POS PRP PRP$ "
    "RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB ``"
)
KNOWN_TAGS = frozenset(_WALL_STREET_JOURNAL.split())
# Tags of newer treebanks, with their nearest in the one that the parser was trained on.
OLDER_TAGS = {"HYPH": "NN", "NFP": ":", "AFX": "JJ", "ADD": "NN", "(": "-LRB-", ")": "-RRB-", '"': "''"}
# The marks that the parser has seen with each tag. Another one would make it doubt all tags of the sentence,
# which takes ten times as long; so it is sent as one of these. Quotes have a direction there.
MARKS = {
    ",": (",",),
    ".": (".", "?", "!"),
    ":": ("--", ":", ";", "...", "-"),
    "``": ("``", "`"),
    "''": ("''", "'"),
    "-LRB-": ("-LRB-", "-LCB-"),
    "-RRB-": ("-RRB-", "-RCB-"),
    "$": ("$",),
    "#": ("#",),
}


def sentence_line(tokens: Iterable[Token]) -> str:
    """The line to send, without its end."""
    return " ".join(map(tagged_word, tokens))


def tagged_word(token: Token) -> str:
    """A word and its tag; the word alone where the parser does not know the tag and is to choose one."""
    tag = OLDER_TAGS.get(token.tag, token.tag)
    if tag == "IN" and token.text.lower() == "to":  # newer treebanks tell the preposition from the particle
        tag = "TO"
    word = spelling(token.text)
    marks = MARKS.get(tag, ())
    if marks and word not in marks:
        word = next((mark for mark in marks if mark in word), marks[0])
    return f"{word}{TAG_SEPARATOR}{tag}" if tag in KNOWN_TAGS else word


def spelling(word: str) -> str:
    """The word with brackets escaped and typewriter quotes, and without anything that reads as space."""
    sendable = _UNSENDABLE.sub("_", word[:LONGEST_WORD]) or "_"
    return sendable.translate(_SPELLINGS)
