"""A text cut into pieces that spaCy takes, with the way back to the text's own offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from disco2.annotation.paragraphs import INVISIBLE, SPACE, paragraphs

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
