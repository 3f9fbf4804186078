"""Plain text: paragraphs, pairs of arguments, pieces for spaCy, tokens and sentences by rule."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from disco2.data import Token

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer

PARAGRAPH_BREAK = "\n\n"  # between two paragraphs

# Character classes. Control characters and zero-width spaces separate words, as spaces do. Soft hyphens,
# direction marks and word joiners are ignored inside words. All are invisible.
SPACE = r"\s\x00-\x1f\x7f-\x9f\u200b"
INVISIBLE = r"\u00ad\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"

# A Windows line end is one. No atomic or possessive groups: before 3.11.5 Python gets them wrong.
_LINE_END = r"(?:\r\n|\r(?!\n)|[\n\u2028\u2029])"
_REST_OF_BLANK_LINE = rf"(?:(?![\n\r\u2028\u2029])[{SPACE}{INVISIBLE}])*"

LINE_END = re.compile(_LINE_END)
# A line without visible characters, or Unicode's paragraph separator; with all the space after it.
BLANK_LINE = re.compile(rf"(?:{_LINE_END}{_REST_OF_BLANK_LINE}{_LINE_END}|\u2029)[{SPACE}]*+")


def paragraphs(text: str) -> list[tuple[int, str]]:
    """The start and text of each paragraph, in order; paragraphs with only space are left out."""
    blanks = [blank.span() for blank in BLANK_LINE.finditer(text)]
    starts, ends = [0, *(end for _, end in blanks)], [*(start for start, _ in blanks), len(text)]
    found = [(start, text[start:end]) for start, end in zip(starts, ends, strict=True)]
    return [(start, paragraph) for start, paragraph in found if paragraph.strip()]


# Pairs of separate argument texts, as one text: the same in training as in prediction.

Span = tuple[int, int]  # characters, the end exclusive


def pair_text(arg1: str, arg2: str) -> str:
    """Both as paragraphs: sentences can't cross a paragraph break, but coreference can."""
    return arg1 + PARAGRAPH_BREAK + arg2


def pair_spans(arg1: str, arg2: str) -> tuple[Span, Span]:
    """The spans of both in their common text."""
    origin = len(arg1) + len(PARAGRAPH_BREAK)
    return (0, len(arg1)), (origin, origin + len(arg2))


# A text in pieces for spaCy, with a map back to the offsets in the text.

LONGEST = 20_000  # characters; spaCy's memory grows with the length of its longest document
LONGEST_WORD = 400  # characters; spaCy's tokenizer takes quadratic time on text without spaces

_SPACES = re.compile(rf"[{SPACE}]+")
_GAP_OR_WORD = re.compile(rf"(?P<gap>[{SPACE}{INVISIBLE}]+)|[^{SPACE}{INVISIBLE}]+")
_OVERLONG = re.compile(rf"\S{{{LONGEST_WORD}}}(?=\S)")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SENTENCE_END = re.compile(rf"[.!?…。！？][\"'”’)\]]*[{SPACE}]")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph, or a part of a very long one, with single spaces and without invisible characters.

    Character ``i`` of ``text`` is the document's character ``places[i]``.
    """

    text: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The document's offsets of the characters ``start`` to ``end`` (exclusive), at least one."""
        return self.places[start], self.places[end - 1] + 1


def split_text(text: str, *, longest: int = LONGEST) -> list[Piece]:
    """The pieces in order. No piece has a blank line, is empty, or begins or ends with space."""
    return [
        piece
        for start, paragraph in paragraphs(text)
        for first, last in _parts(paragraph, longest)
        if (piece := _clean(paragraph[first:last], start + first)) is not None
    ]


def replace_surrogates(word: str) -> str:
    """Replace characters that UTF-8 can't encode, and an empty word: spaCy accepts neither."""
    return _SURROGATE.sub("\ufffd", word) or "\ufffd"


def cut_long(length: int, longest: int, cut: Callable[[int, int], int]) -> Iterator[tuple[int, int]]:
    """Spans that cover a length, none longer than ``longest``.

    ``cut(start, limit)`` gives the end of the span that begins at ``start``, at most ``limit``.
    """
    start = 0
    while length - start > longest:
        end = cut(start, start + longest)
        yield start, end
        start = end
    yield start, length


def _parts(paragraph: str, longest: int) -> Iterator[tuple[int, int]]:
    """Cut a long paragraph after the last sentence end that fits, else the last space, else at the limit."""

    def cut(start: int, limit: int) -> int:
        for pattern in (_SENTENCE_END, _SPACES):
            if ends := [match.end() for match in pattern.finditer(paragraph, start, limit)]:
                return ends[-1]
        return limit

    return cut_long(len(paragraph), longest, cut)


def _clean(part: str, offset: int) -> Piece | None:
    """The part as a piece, or None if nothing in it is visible.

    Overlong words are cut by spaces; such a space has the place of the next character.
    """
    words: list[str] = []
    places = array("q")
    for match in _GAP_OR_WORD.finditer(part):
        start, end = match.span()
        if match["gap"] is None:
            words.append(match[0])
            places.extend(range(offset + start, offset + end))
        elif words and end < len(part) and _SPACES.search(match[0]):
            words.append(" ")
            places.append(offset + start)
    if not words:
        return None
    text = replace_surrogates("".join(words))
    if len(text) == len(part) and not _OVERLONG.search(text):
        return Piece(text, range(offset, offset + len(part)))  # nothing moved; a range takes no memory
    for cut in reversed([match.end() for match in _OVERLONG.finditer(text)]):
        text = f"{text[:cut]} {text[cut:]}"
        places.insert(cut, places[cut])
    return Piece(text, places)


# Where a sentence that is too long to be parsed is cut, best first: after a full stop; a colon, a closing
# bracket or quote; a comma; then before a conjunction or a preposition; else at the limit.
_BEHIND = (frozenset({"."}), frozenset({":", "-RRB-", "''"}), frozenset({","}))
_BEFORE = frozenset({"CC", "IN", "WDT"})


def split_long_sentence(tags: Sequence[str], *, longest: int, shortest: int) -> list[tuple[int, int]]:
    """A sentence, given by its tags, as one piece, or cut into several of at most ``longest`` tokens.

    Only the last piece may have fewer than ``shortest`` tokens.
    """

    def cut(start: int, limit: int) -> int:
        least = start + max(1, min(shortest, longest))
        for marks in _BEHIND:
            for end in range(limit, least - 1, -1):
                if tags[end - 1] in marks:
                    return end
        for end in range(limit - 1, least - 1, -1):
            if tags[end] in _BEFORE:
                return end
        return limit

    return list(cut_long(len(tags), longest, cut))


# Tokens of the built-in annotator, and sentences by rule, without a trained model. Clitics (``do`` ``n't``,
# ``Ann`` ``'s``) and punctuation are separate tokens, abbreviations keep their full stop. Offsets are exact.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# These never end a sentence: a name or a number follows.
TITLES = _words(
    "mr mrs ms messrs dr prof rev hon gen col capt cmdr lt sgt maj gov sen rep pres supt mt ft mlle mme"
)
# In lower case or capitalised.
ANYWHERE = TITLES | _words(
    "jr sr vs etc al inc corp ltd bros dept dist assn assoc approx cf viz ca eds univ ave blvd pty plc esq"
)
# Without the capital these may be words.
CAPITALISED = _words(
    "St Co Cos Est Rd Ext Jan Feb Apr Jun Jul Aug Sep Sept Oct Nov Dec Tue Tues Wed Thu Thurs Fri Ala Ariz "
    "Ark Calif Colo Conn Del Fla Ga Ind Kan Ky Md Mich Minn Mont Neb Nev Okla Ore Tenn Tex Va Vt Wis Wyo"
)

# Words that, after an abbreviation, more likely begin a sentence than continue a name.
SENTENCE_STARTERS = _words(
    "a about after all although an and another as at because before both but by during each even every few "
    "for from had has have he her here his how however i if in instead is it its last like many meanwhile "
    "more most my no not now of on once one only or other our perhaps she since so some still such that the "
    "their then there these they this those though through to today two under until we what when where which "
    "while who why with yesterday yet you your"
)

_TERMINAL = re.compile(r"[.!?…]++|[\u3002\uff01\uff1f]++")
_UNSPACED = "\u3002\uff01\uff1f"  # the ideographic full stop and similar signs, with no space after them
_CLOSERS = frozenset("\"'\u201d\u2019\u00bb)]}") | {"''"}
_ITEM = re.compile(r"\d{1,3}")  # the number of a list item
_SINGLE = re.compile(r"[Ia-z]\.")  # the tokenizer keeps the full stop after any letter
MOST_WORDS = 100_000  # in the tokenizer's vocabulary, which is then made anew


def tokenise(text: str) -> list[list[Token]]:
    """The sentences of a text; a blank line always ends one."""
    # In a text without capitals, lower case does not show that a sentence goes on.
    has_capitals = any(map(str.isupper, text))
    sentences: list[list[Token]] = []
    sentence: list[Token] = []
    ended = False
    for token in _tokens(text):
        if sentence and _begins_sentence(text, sentence[-1], token, ended=ended, has_capitals=has_capitals):
            sentences.append(sentence)
            sentence, ended = [], False
        glued = bool(sentence) and sentence[-1].end == token.start
        numbered = len(sentence) == 1 and _ITEM.fullmatch(sentence[0].text) is not None
        terminal = _TERMINAL.fullmatch(token.text) is not None and not numbered
        ended = terminal or (ended and glued and token.text in _CLOSERS)
        sentence.append(token)
    return [*sentences, sentence] if sentence else sentences


def _tokens(text: str) -> Iterator[Token]:
    from disco2.annotation.english.spacy_english import tokenise_paragraph  # late: spaCy takes long to import

    tokenizer = _tokenizer()
    for piece in split_text(text):
        doc = tokenise_paragraph(tokenizer, piece.text)
        for first, length in doc.to_array(["IDX", "LENGTH"]).tolist():
            start, end = piece.span(first, first + length)
            yield Token(text[start:end], start, end)
    if len(tokenizer.vocab) > MOST_WORDS:
        _tokenizer.cache_clear()


@cache
def _tokenizer() -> Tokenizer:
    from spacy.vocab import Vocab

    from disco2.annotation.english.spacy_english import gum_tokenizer

    return gum_tokenizer(Vocab())


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
        and (token.text.lower() in SENTENCE_STARTERS or _SINGLE.fullmatch(before.text) is not None)
    )
