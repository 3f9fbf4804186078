"""Plain English text -> sentences of tokens, by rule, as the treebanks cut them.

Clitics stand alone (``do`` ``n't``, ``Ann`` ``'s``), punctuation stands alone, abbreviations keep their
full stop, numbers and addresses stay whole. Offsets are exact; spaces, control characters and invisible marks
belong to no token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from disco2.annotation.text import BLANK_LINE
from disco2.data import Token


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# These never end a sentence: a name or a number follows.
TITLES = _words(
    "mr mrs ms messrs dr prof rev hon gen col capt cmdr lt sgt maj gov sen rep pres supt mt ft mlle mme"
)
# With a small letter or a capital one.
ANYWHERE = TITLES | _words(
    "jr sr vs etc al inc corp ltd bros dept dist assn assoc approx cf viz ca eds univ ave blvd pty plc esq"
)
# Without the capital these are words, or may be.
CAPITALISED = _words(
    "St Co Cos Est Rd Ext Jan Feb Apr Jun Jul Aug Sep Sept Oct Nov Dec Tue Tues Wed Thu Thurs Fri Ala Ariz "
    "Ark Calif Colo Conn Del Fla Ga Ind Kan Ky Md Mich Minn Mont Neb Nev Okla Ore Tenn Tex Va Vt Wis Wyo"
)
# Only with a number behind them.
BEFORE_NUMBERS = _words("no nos p pp vol vols fig figs ch sec art eq ed op ll c mar")

# Words that, behind an abbreviation, more likely begin a sentence than go on with a name.
SENTENCE_STARTERS = _words(
    "a about after all although an and another as at because before both but by during each even every few "
    "for from had has have he her here his how however i if in instead is it its last like many meanwhile "
    "more most my no not now of on once one only or other our perhaps she since so some still such that the "
    "their then there these they this those though through to today two under until we what when where which "
    "while who why with yesterday yet you your"
)


_SKIP = r"(?P<skip>[\s\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2060\ufeff]++)"
_LETTER = r"[\w\u0300-\u036f]"
_APOSTROPHE = r"['\u2019`]"
_HYPHEN = r"[-\u2010\u2011]"
_ADDRESS_END = r"""[^\s<>"\u201c\u201d.,;:!?)\]}'\u2019]"""
_ADDRESS = rf"""[^\s<>"\u201c\u201d]{{0,2000}}{_ADDRESS_END}"""
_DOMAIN = r"(?:com|org|net|edu|gov|info|io|co\.uk|ac\.uk)\b"
_PREFIX = (
    "anti|bi|co|cross|de|e|ex|extra|inter|intra|macro|mega|meta|micro|mid|mini|multi|neo|non|pan|para|post|pre|"
    "pro|proto|pseudo|quasi|re|semi|sub|super|trans|tri|ultra|un|vice"
)
_SYMBOL = r"[^\w\s]"
_TONES = r"\ufe0f\u20e3\U0001f3fb-\U0001f3ff\u0300-\u036f"

# No alternative may look far ahead and then fail, or long runs of one character would take quadratic time:
# hence the bounds and the possessive quantifiers.
_BEFORE_WORDS = [
    rf"(?:https?://|www\.){_ADDRESS}",
    r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5}",
    rf"(?:[\w-]{{1,64}}\.){{1,5}}{_DOMAIN}(?:/{_ADDRESS})?",
    r"(?m:^)\d{1,3}[.)](?=\s)",  # the number of a list's item
    r"\d++(?:[.,:/]\d++)*\w*+",
    rf"{_APOSTROPHE}\d\ds?\b",
    r"(?:[^\W\d_]\.){2,20}(?!\w)",
    r"Ph\.D\.|M\.Sc\.|B\.Sc\.",
    rf"(?i:{_APOSTROPHE}(?:s|re|ve|ll|d|m|em|tis|twas|til|cause)\b)",
    r"\w++&\w++(?!;)",
]
_WORD = rf"(?P<word>{_LETTER}++(?:{_APOSTROPHE}{_LETTER}++)*)"
_HYPHENATED = rf"(?P<word>{_LETTER}++(?:(?:{_APOSTROPHE}|{_HYPHEN}){_LETTER}++)*)"
_PREFIXED = rf"(?i:(?:{_PREFIX}){_HYPHEN}{_LETTER}++)(?!{_HYPHEN})"
_BEHIND_WORDS = [
    r"\.\.++",
    r"…\.?+",
    r"--++",
    r"[\u2013\u2014]++",
    r"``|''",
    r"[!?]++",
    r"#[^\W\d]\w*+",
    r"([*=~#])\1++",
    r"[\U0001f1e6-\U0001f1ff]{2}",
    rf"{_SYMBOL}[{_TONES}]*+(?:\u200d{_SYMBOL}[{_TONES}]*+)*",
]
_SPLIT = re.compile("|".join([_SKIP, *_BEFORE_WORDS, _PREFIXED, _WORD, *_BEHIND_WORDS]))
_KEPT = re.compile("|".join([_SKIP, *_BEFORE_WORDS, _HYPHENATED, *_BEHIND_WORDS]))

_CLITIC = re.compile(rf"(?i)(?:n{_APOSTROPHE}t|{_APOSTROPHE}(?:s|re|ve|ll|d|m))$")
_FUSED = {"cannot": 3, "gonna": 3, "wanna": 3, "gotta": 3, "oughta": 5, "lemme": 3, "gimme": 3}
_NUMBER_NEXT = re.compile(r"\s*\d")

_TERMINAL = re.compile(r"[.!?…]++|[\u3002\uff01\uff1f]++")
_UNSPACED = "\u3002\uff01\uff1f"  # the ideographic full stop and its like, with no space behind them
_CLOSERS = frozenset("\"'\u201d\u2019\u00bb)]}") | {"''"}


def tokenise(text: str, *, split_hyphens: bool = True) -> list[list[Token]]:
    """The sentences of a text; a blank line always ends one.

    Hyphens are tokens of their own, but for prefixes such as ``non-``, as in the English Web Treebank and
    GUM; without ``split_hyphens`` they stay inside their word, as in the Wall Street Journal's trees.
    """
    tokens = list(_tokens(text, _SPLIT if split_hyphens else _KEPT))
    # In a text without any capital their absence says nothing about where sentences begin.
    has_capitals = any(map(str.isupper, text))
    sentences: list[list[Token]] = []
    sentence: list[Token] = []
    ended = False
    for token in tokens:
        if sentence and _begins_sentence(text, sentence[-1], token, ended=ended, has_capitals=has_capitals):
            sentences.append(sentence)
            sentence, ended = [], False
        glued = bool(sentence) and sentence[-1].end == token.start
        ended = _TERMINAL.fullmatch(token.text) is not None or (ended and glued and token.text in _CLOSERS)
        sentence.append(token)
    if sentence:
        sentences.append(sentence)
    return sentences


def _tokens(text: str, pattern: re.Pattern[str]) -> Iterator[Token]:
    position = 0
    while position < len(text):
        match = pattern.match(text, position)
        if match is None:  # a character that no rule knows
            yield Token(text[position], position, position + 1)
            position += 1
            continue
        start, end = match.span()
        position = end
        if match.lastgroup == "word":
            if text.startswith(".", end) and _keeps_stop(match[0], text, end):
                position = end + 1
                yield Token(text[start:position], start, position)
            else:
                yield from _without_clitics(text, start, end)
        elif match.lastgroup != "skip":
            yield Token(match[0], start, end)


def _keeps_stop(word: str, text: str, end: int) -> bool:
    if text.startswith("..", end):
        return False
    lower = word.lower()
    if lower in ANYWHERE or word in CAPITALISED:
        return True
    if len(word) == 1 and word.isupper() and word != "I":
        return True
    return lower in BEFORE_NUMBERS and _NUMBER_NEXT.match(text, end + 1) is not None


def _without_clitics(text: str, start: int, end: int) -> Iterator[Token]:
    cuts = [end]
    fused = _FUSED.get(text[start:end].lower())
    if fused is not None:
        cuts.append(start + fused)
    else:
        while (clitic := _CLITIC.search(text, max(start, cuts[-1] - 3), cuts[-1])) and clitic.start() > start:
            cuts.append(clitic.start())
    for cut in reversed(cuts):
        yield Token(text[start:cut], start, cut)
        start = cut


def _begins_sentence(text: str, before: Token, token: Token, *, ended: bool, has_capitals: bool) -> bool:
    between = text[before.end : token.start]
    if BLANK_LINE.search(between):
        return True
    if ended:
        if before.text[-1] in _UNSPACED:
            return True
        if not between or (token.text in _CLOSERS and token.end < len(text) and text[token.end].isspace()):
            return False
        return not (has_capitals and token.text[0].islower())
    return (
        bool(between)
        and before.text[-1] == "."
        and before.text[0].isalpha()
        and before.text[:-1].lower() not in TITLES
        and token.text[0].isupper()
        and token.text.lower() in SENTENCE_STARTERS
    )
