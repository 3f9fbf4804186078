"""Plain text: its paragraphs, pairs of arguments as one text, pieces for spaCy, and long sentences cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

PARAGRAPH_BREAK = "\n\n"  # what to write between two paragraphs

# As classes of a pattern. Control characters and zero-width spaces part words, as spaces do; soft hyphens,
# direction marks and word joiners stand inside words and say nothing about them. Neither is to be seen.
SPACE = r"\s\x00-\x1f\x7f-\x9f\u200b"
INVISIBLE = r"\u00ad\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"

# A Windows line end is one. No atomic or possessive groups: before 3.11.5 Python gets them wrong.
_LINE_END = r"(?:\r\n|\r(?!\n)|[\n\u2028\u2029])"
_REST_OF_BLANK_LINE = rf"(?:(?![\n\r\u2028\u2029])[{SPACE}{INVISIBLE}])*"

LINE_END = re.compile(_LINE_END)
# A line with nothing to see on it, or Unicode's own separator; with all the space behind.
BLANK_LINE = re.compile(rf"(?:{_LINE_END}{_REST_OF_BLANK_LINE}{_LINE_END}|\u2029)[{SPACE}]*+")


def paragraphs(text: str) -> list[tuple[int, str]]:
    """The paragraphs and where each begins, in order; those of nothing but space are left out."""
    found: list[tuple[int, str]] = []
    start = 0
    for blank in BLANK_LINE.finditer(text):
        found.append((start, text[start : blank.start()]))
        start = blank.end()
    found.append((start, text[start:]))
    return [(start, paragraph) for start, paragraph in found if paragraph.strip()]


# Pairs of arguments that are texts of their own, as one text: the same in training as in prediction.


Span = tuple[int, int]  # characters, the end exclusive


def pair_text(arg1: str, arg2: str) -> str:
    """Both as paragraphs: no sentence goes on behind a paragraph's end, but coreference does."""
    return arg1 + PARAGRAPH_BREAK + arg2


def pair_spans(arg1: str, arg2: str) -> tuple[Span, Span]:
    """Where the two lie in their common text."""
    origin = len(arg1) + len(PARAGRAPH_BREAK)
    return (0, len(arg1)), (origin, origin + len(arg2))


# A text cut into pieces that spaCy takes, with the way back to the text's own offsets.


LONGEST = 20_000  # characters; spaCy's memory grows with the length of its longest document
LONGEST_WORD = 400  # characters; spaCy's tokenizer takes quadratic time on text without spaces

# The tokenizer is to see single spaces between words, and nothing that can't be seen.
_SPACES = re.compile(rf"[{SPACE}]+")
_GAP = re.compile(rf"[{SPACE}{INVISIBLE}]+")
_OVERLONG = re.compile(rf"\S{{{LONGEST_WORD}}}(?=\S)")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SENTENCE_END = re.compile(rf"[.!?…。！？][\"'”’)\]]*[{SPACE}]")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph, or a part of a very long one, with single spaces and without invisible characters.

    Character ``i`` of ``text`` is the document's character ``offset + i``, or ``places[i]`` where cleaning
    moved it.
    """

    text: str
    offset: int
    places: Sequence[int] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The document's offsets of the characters ``start`` to ``end`` (exclusive), at least one."""
        if self.places is None:
            return self.offset + start, self.offset + end
        return self.places[start], self.places[end - 1] + 1


def text_pieces(text: str, *, longest: int = LONGEST) -> list[Piece]:
    """The pieces in order. No piece holds a blank line, none is empty, and none begins or ends with space."""
    found: list[Piece] = []
    for start, paragraph in paragraphs(text):
        for first, last in _parts(paragraph, longest):
            piece = _clean(paragraph[first:last], start + first)
            if piece is not None:
                found.append(piece)
    return found


def encodable(word: str) -> str:
    """The word with what UTF-8 can't write replaced, character by character; spaCy takes no other, and none
    that is empty."""
    return _SURROGATE.sub("\ufffd", word) or "\ufffd"


def _parts(paragraph: str, longest: int) -> Iterator[tuple[int, int]]:
    """A long paragraph cut behind the last sentence end that fits, else the last space, else anywhere."""
    start = 0
    while len(paragraph) - start > longest:
        limit = start + longest
        end = _last_end(_SENTENCE_END, paragraph, start, limit) or _last_end(_SPACES, paragraph, start, limit)
        yield start, end or limit
        start = end or limit
    yield start, len(paragraph)


def _last_end(pattern: re.Pattern[str], text: str, start: int, limit: int) -> int | None:
    return max((match.end() for match in pattern.finditer(text, start, limit)), default=None)


def _clean(part: str, offset: int) -> Piece | None:
    """The part as a piece, or None where there is nothing to see in it."""
    pieces: list[str] = []
    places: list[Sequence[int]] = []
    position = 0
    changed = False
    for gap in _GAP.finditer(part):
        start, end = gap.span()
        if start > 0 and end < len(part) and gap[0] == " ":
            continue
        changed = True
        pieces.append(part[position:start])
        places.append(range(offset + position, offset + start))
        if start > 0 and end < len(part) and _SPACES.search(gap[0]):
            pieces.append(" ")
            places.append((offset + start,))
        position = end
    pieces.append(part[position:])
    text = encodable("".join(pieces)) if any(pieces) else ""
    if not text:
        return None
    if changed:
        places.append(range(offset + position, offset + len(part)))
    piece = Piece(text, offset, tuple(chain.from_iterable(places)) if changed else None)
    return _parted(piece) if _OVERLONG.search(text) else piece


def _parted(piece: Piece) -> Piece:
    """The piece with spaces put into its overlong words; such a space has the place of what is behind it."""
    pieces: list[str] = []
    places: list[int] = []
    position = 0
    for word in _OVERLONG.finditer(piece.text):
        pieces += [piece.text[position : word.end()], " "]
        places += [piece.span(index, index + 1)[0] for index in range(position, word.end() + 1)]
        position = word.end()
    pieces.append(piece.text[position:])
    places += [piece.span(index, index + 1)[0] for index in range(position, len(piece.text))]
    return Piece("".join(pieces), piece.offset, places)


# Sentences too long to be parsed in one go, cut where it costs least.


# Best first: behind a full stop; a colon, a closing bracket or quote; a comma.
_BEHIND = (frozenset({"."}), frozenset({":", "-RRB-", "''"}), frozenset({","}))
_BEFORE = frozenset({"CC", "IN", "WDT"})


def pieces_of(tags: Sequence[str], *, longest: int, shortest: int) -> list[tuple[int, int]]:
    """A sentence, given by its tags, as one piece, or cut into several of at most ``longest`` tokens.

    A piece ends after its last token, from the ``shortest``-th on, that is a full stop; where there is none,
    after a colon, a closing bracket or a closing quote; else after a comma, else before a conjunction or a
    preposition, else where it must. Only the last piece may have fewer than ``shortest`` tokens.
    """
    pieces: list[tuple[int, int]] = []
    start = 0
    while len(tags) - start > longest:
        end = start + _cut(tags[start : start + longest], shortest)
        pieces.append((start, end))
        start = end
    pieces.append((start, len(tags)))
    return pieces


def _cut(tags: Sequence[str], shortest: int) -> int:
    """How many of the tokens the next piece takes."""
    least = max(1, min(shortest, len(tags)))
    for marks in _BEHIND:
        for end in range(len(tags), least - 1, -1):
            if tags[end - 1] in marks:
                return end
    for end in range(len(tags) - 1, least - 1, -1):
        if tags[end] in _BEFORE:
            return end
    return len(tags)
