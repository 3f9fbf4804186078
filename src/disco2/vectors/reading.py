"""Read a file of word vectors; its format is detected from its content, not from its name."""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from disco2.errors import VectorsError
from disco2.vectors.word_vectors import WordVectors


@dataclass
class Selection:
    """Collects the first ``frequent`` rows and those of the words in ``keep``; all rows if that is None.

    If a word occurs twice, its first row counts.
    """

    keep: Collection[str] | None
    frequent: int
    _chosen: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    _seen: int = 0

    def wants(self, word: str) -> bool:
        """Whether to keep the file's next row, which has this word. Call it once for each row."""
        self._seen += 1
        if word in self._chosen or "\n" in word:  # a model's words are stored one a line
            return False
        return self.keep is None or self._seen <= self.frequent or word in self.keep

    def complete(self) -> bool:
        """Whether no further row can be wanted."""
        return self.keep is not None and not self.keep and self._seen >= self.frequent

    def add(self, word: str, values: NDArray[np.float32]) -> None:
        self._chosen[word] = values

    def vectors(self, *, where: str) -> WordVectors:
        if not self._chosen:
            raise VectorsError(
                "None of the words that are needed has a vector here.",
                where=where,
                hint="Is this a file of vectors for another language?",
            )
        return WordVectors(tuple(self._chosen), np.stack(list(self._chosen.values())))


_GZIP_MAGIC = b"\x1f\x8b"
_FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
_PREVIEW = 4096
_CONTROL_BYTES = frozenset(range(32)) - frozenset(b"\t\n\r")


def read_vectors(path: Path, *, keep: Collection[str] | None = None, frequent: int = 0) -> WordVectors:
    """Read a file of vectors: GloVe text, word2vec text or binary, fastText ``.vec``.

    The file may be compressed with gzip. Only its first ``frequent`` words and those in ``keep`` are kept;
    with ``keep=None``, all of them.
    """
    selection = Selection(keep=keep, frequent=frequent)
    name = str(path)
    try:
        with path.open("rb") as file:
            compressed = file.read(2) == _GZIP_MAGIC
        with cast("BinaryIO", gzip.open(path, "rb")) if compressed else path.open("rb") as stream:
            preview = stream.read(_PREVIEW)
            if preview.startswith(_FASTTEXT_MAGIC):
                raise VectorsError(
                    "A fastText model (.bin) can't be read.",
                    where=name,
                    hint="Use the .vec file that comes with it.",
                )
            stream.seek(0)
            if _is_word2vec_binary(preview):
                read_word2vec_binary(stream, name=name, selection=selection)
            else:
                read_text(stream, name=name, selection=selection)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise VectorsError(
            f"The compressed file is damaged ({error}).", where=name, hint="Fetch the file again."
        ) from error
    except OSError as error:
        raise VectorsError(
            f"The file can't be read ({error.strerror or error}).", where=name, hint="Check the path."
        ) from error
    return selection.vectors(where=name)


def _is_word2vec_binary(preview: bytes) -> bool:
    """Whether a header is followed by bytes that no text has."""
    line, _, rest = preview.partition(b"\n")
    if parse_header(line) is None:
        return False
    if any(byte in _CONTROL_BYTES for byte in rest):
        return True
    try:
        rest.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start < len(rest) - 4  # the preview's end may cut a character of a text in two
    return False


# Vectors as text, one word a line: GloVe (no header), word2vec and fastText (header ``count size``).


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


# Vectors as a binary file: word2vec's.


_WORD2VEC_CHUNK = 1 << 22
_LONGEST_WORD2VEC_WORD = 1 << 16


def read_word2vec_binary(stream: BinaryIO, *, name: str, selection: Selection) -> None:
    """Add the rows of a word2vec binary file to ``selection``.

    The format: a line ``count size``, then for each word its bytes, a space, and ``size`` float32 values,
    least significant byte first. Some writers put a line feed after the values, before the next word.
    """
    header = parse_header(stream.readline(_LONGEST_WORD2VEC_WORD))
    if header is None or header[1] < 1:
        raise VectorsError("There is no word2vec header.", where=name, hint="Expected: count, space, size.")
    count, size = header
    check_size(size, where=name)
    width = size * 4
    buffer, at = b"", 0
    for number in range(1, count + 1):
        where = f"{name}: word {number} of {count}"
        end = buffer.find(b" ", at)
        while end < 0 or len(buffer) < end + 1 + width:
            chunk = stream.read(_WORD2VEC_CHUNK)
            if not chunk:
                raise VectorsError("The file ends in the middle.", where=where, hint="Fetch the file again.")
            buffer, at = buffer[at:] + chunk, 0
            end = buffer.find(b" ")
            if (end < 0 and len(buffer) > _LONGEST_WORD2VEC_WORD) or end > _LONGEST_WORD2VEC_WORD:
                raise VectorsError("No word was found.", where=where, hint="Is this a word2vec binary file?")
        word = buffer[at:end].lstrip(b"\n").decode("utf-8", errors="replace")
        at = end + 1 + width
        if selection.wants(word):
            values = np.frombuffer(buffer, dtype="<f4", count=size, offset=end + 1).astype(np.float32)
            if not np.isfinite(values).all():
                raise VectorsError(
                    "A value is infinite or not a number.",
                    where=where,
                    hint="Is this a word2vec binary file?",
                )
            selection.add(word, values)
        if selection.complete():
            return
