"""Vectors as text, one word a line: GloVe (no header), word2vec and fastText (header ``count size``)."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import Counter
from functools import partial
from itertools import chain, islice
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from disco2.errors import VectorsError
from disco2.vectors.selection import Selection

MOST_VALUES = 5_000  # of a word
_LINES_TO_LOOK_AT = 20
_LONGEST_LINE = 1 << 20  # bytes; more of one is never read
_LINE_FORMAT = "Each line must be a word and its values, with single spaces between them"


def read_text(stream: BinaryIO, *, name: str, selection: Selection) -> None:
    """Add the rows of a text file to ``selection``.

    Lines end at a line feed only, since a word may be one of Unicode's other line breaks. The last D fields
    are the values and the rest is the word, because GloVe's 840B file has words with spaces in them.
    """
    lines = iter(partial(stream.readline, _LONGEST_LINE), b"")
    first_lines = list(islice(lines, _LINES_TO_LOOK_AT))
    first_lines[:1] = [line.removeprefix(BOM_UTF8) for line in first_lines[:1]]
    header = parse_header(first_lines[0]) if first_lines else None
    if header is None:
        expected, size = None, _usual_size(first_lines)
    else:
        expected, size = header
    if size < 1:
        raise VectorsError("There are no vectors in this file.", where=name, hint=f"{_LINE_FORMAT}.")
    check_size(size, where=name)
    count = 0
    for number, line in enumerate(chain(first_lines, lines), start=1):
        if (header is not None and number == 1) or not line.strip():
            continue
        if len(line) == _LONGEST_LINE:
            raise VectorsError("The line is too long.", where=f"{name}:{number}", hint=f"{_LINE_FORMAT}.")
        count += 1
        fields = line.rstrip().rsplit(b" ", size)
        if len(fields) != size + 1:
            values = len(line.split()) - 1
            raise _wrong_number(values, size, where=f"{name}:{number}")
        word = fields[0].decode("utf-8", errors="replace")
        if selection.wants(word):
            selection.add(word, _values(fields, size, where=f"{name}:{number}"))
        if selection.complete():
            return
    if expected is not None and count < expected:
        raise VectorsError(
            f"The header promises {expected} words, the file ends after {count}.",
            where=name,
            hint="The file seems to be cut off: fetch it again.",
        )


def check_size(size: int, *, where: str) -> None:
    """Refuse vectors so long that working with them would take all memory."""
    if size > MOST_VALUES:
        raise VectorsError(
            f"Vectors of {size} values can't be used; {MOST_VALUES} are the most.",
            where=where,
            hint="Is this a file of word vectors?",
        )


def parse_header(line: bytes) -> tuple[int, int] | None:
    """The counts of words and of values a word, if the line is a word2vec header."""
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 12 for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def _usual_size(lines: list[bytes]) -> int:
    """How many values most of the first lines have: one line may hold a word with spaces, or be broken."""
    sizes = Counter(len(line.split()) - 1 for line in lines if line.strip())
    return max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 0


def _values(fields: list[bytes], size: int, *, where: str) -> NDArray[np.float32]:
    """The values as numbers. What precedes them must not look like one more value."""
    if any(_is_number(field) for field in fields[0].split()[1:]):
        raise _wrong_number(size + len(fields[0].split()) - 1, size, where=where)
    try:
        with np.errstate(over="ignore"):  # what becomes infinite is refused below
            values = np.array(fields[1:], dtype=np.float32)
    except ValueError:
        bad = next(field for field in fields[1:] if not _is_number(field))
        raise VectorsError(
            f"{bad.decode('utf-8', errors='replace')!r} is not a number.",
            where=where,
            hint=f"{_LINE_FORMAT}.",
        ) from None
    if not np.isfinite(values).all():
        raise VectorsError("A value is infinite or not a number.", where=where, hint="Remove the line.")
    return values


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _wrong_number(values: int, size: int, *, where: str) -> VectorsError:
    return VectorsError(
        f"{values} values where {size} were expected.",
        where=where,
        hint=f"{_LINE_FORMAT}.",
    )
