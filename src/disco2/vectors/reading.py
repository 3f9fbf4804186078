"""Read a file of word vectors; its format is detected from its content, not from its name."""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from disco2.errors import VectorsError
from disco2.vectors.word_vectors import WordVectors

MOST_VALUES = 5_000  # of a word; longer vectors would take all memory
_GZIP_MAGIC = b"\x1f\x8b"
_FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
_PREVIEW = 4096
_CONTROL_BYTES = frozenset(range(32)) - frozenset(b"\t\n\r")

Values = NDArray[np.float32]
Row = tuple[str, Callable[[], Values]]  # a word, and a function that parses its values


def read_vectors(path: Path, *, keep: Collection[str] | None = None, frequent: int = 0) -> WordVectors:
    """Read a file of vectors: GloVe text, word2vec text or binary, fastText ``.vec``.

    The file may be compressed with gzip. Only its first ``frequent`` words and those in ``keep`` are kept;
    with ``keep=None``, all of them. If a word occurs twice, its first row counts.
    """
    name = str(path)
    chosen: dict[str, Values] = {}
    try:
        with path.open("rb") as file:
            compressed = file.read(2) == _GZIP_MAGIC
        with cast("BinaryIO", gzip.open(path, "rb")) if compressed else path.open("rb") as stream:
            for number, (word, values) in enumerate(_rows(stream, name), start=1):
                if keep is not None and number > frequent and word not in keep:
                    if not keep:
                        break
                elif word not in chosen and "\n" not in word:  # a model's words are stored one a line
                    chosen[word] = values()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise VectorsError(
            f"The compressed file is damaged ({error}).", where=name, hint="Fetch the file again."
        ) from error
    except OSError as error:
        raise VectorsError(
            f"The file can't be read ({error.strerror or error}).", where=name, hint="Check the path."
        ) from error
    if not chosen:
        raise VectorsError(
            "None of the words that are needed has a vector here.",
            where=name,
            hint="Is this a file of vectors for another language?",
        )
    return WordVectors(tuple(chosen), np.stack(list(chosen.values())))


def _rows(stream: BinaryIO, name: str) -> Iterator[Row]:
    """The rows of a file, by the format of its first bytes."""
    preview = stream.read(_PREVIEW)
    if preview.startswith(_FASTTEXT_MAGIC):
        raise VectorsError(
            "A fastText model (.bin) can't be read.", where=name, hint="Use the .vec file that comes with it."
        )
    stream.seek(0)
    return _binary_rows(stream, name) if _is_word2vec_binary(preview) else _text_rows(stream, name)


def _is_word2vec_binary(preview: bytes) -> bool:
    """Whether a header is followed by bytes that no text has."""
    line, _, rest = preview.partition(b"\n")
    if _parse_header(line) is None:
        return False
    if any(byte in _CONTROL_BYTES for byte in rest):
        return True
    try:
        rest.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start < len(rest) - 4  # the preview's end may cut a character of a text in two
    return False


def _parse_header(line: bytes) -> tuple[int, int] | None:
    """The counts of words and of values a word, if the line is a word2vec header."""
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 12 for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def _check_size(size: int, *, where: str) -> None:
    if size > MOST_VALUES:
        raise VectorsError(
            f"Vectors of {size} values can't be used; {MOST_VALUES} are the most.",
            where=where,
            hint="Is this a file of word vectors?",
        )


def _finite(values: Values, *, where: str, hint: str) -> Values:
    if not np.isfinite(values).all():
        raise VectorsError("A value is infinite or not a number.", where=where, hint=hint)
    return values.astype(np.float32)  # a copy, not a view of the file's bytes


# Vectors as text, one word a line: GloVe (no header), word2vec and fastText (header ``count size``).

_LINES_TO_LOOK_AT = 20
_LONGEST_LINE = 1 << 20  # bytes; more of one is never read
_LINE_FORMAT = "Each line must be a word and its values, with single spaces between them."


def _text_rows(stream: BinaryIO, name: str) -> Iterator[Row]:
    """Lines end at a line feed only, since a word may be one of Unicode's other line breaks. The last D
    fields are the values and the rest is the word, because GloVe's 840B file has words with spaces."""
    lines = iter(partial(stream.readline, _LONGEST_LINE), b"")
    first_lines = list(islice(lines, _LINES_TO_LOOK_AT))
    first_lines[:1] = [line.removeprefix(BOM_UTF8) for line in first_lines[:1]]
    header = _parse_header(first_lines[0]) if first_lines else None
    expected, size = header or (0, _usual_size(first_lines))
    if size < 1:
        raise VectorsError("There are no vectors in this file.", where=name, hint=_LINE_FORMAT)
    _check_size(size, where=name)
    count = 0
    for number, line in enumerate(chain(first_lines, lines), start=1):
        if (header is not None and number == 1) or not line.strip():
            continue
        where = f"{name}:{number}"
        if len(line) == _LONGEST_LINE:
            raise VectorsError("The line is too long.", where=where, hint=_LINE_FORMAT)
        count += 1
        fields = line.rstrip().rsplit(b" ", size)
        if len(fields) != size + 1:
            raise _wrong_number(len(line.split()) - 1, size, where=where)
        yield fields[0].decode("utf-8", errors="replace"), partial(_values, fields, size, where=where)
    if count < expected:
        raise VectorsError(
            f"The header promises {expected} words, the file ends after {count}.",
            where=name,
            hint="The file seems to be cut off: fetch it again.",
        )


def _usual_size(lines: list[bytes]) -> int:
    """How many values most of the first lines have: one line may hold a word with spaces, or be broken."""
    sizes = Counter(len(line.split()) - 1 for line in lines if line.strip())
    return max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 0


def _values(fields: list[bytes], size: int, *, where: str) -> Values:
    """The values as numbers. What precedes them must not look like one more value."""
    if any(_is_number(field) for field in fields[0].split()[1:]):
        raise _wrong_number(size + len(fields[0].split()) - 1, size, where=where)
    try:
        with np.errstate(over="ignore"):  # what becomes infinite is refused below
            values = np.array(fields[1:], dtype=np.float32)
    except ValueError:
        bad = next(field for field in fields[1:] if not _is_number(field)).decode("utf-8", errors="replace")
        raise VectorsError(f"{bad!r} is not a number.", where=where, hint=_LINE_FORMAT) from None
    return _finite(values, where=where, hint="Remove the line.")


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _wrong_number(values: int, size: int, *, where: str) -> VectorsError:
    return VectorsError(f"{values} values where {size} were expected.", where=where, hint=_LINE_FORMAT)


# Vectors as a binary file: word2vec's.

_CHUNK = 1 << 22
_LONGEST_WORD = 1 << 16


def _binary_rows(stream: BinaryIO, name: str) -> Iterator[Row]:
    """The format: a line ``count size``, then for each word its bytes, a space, and ``size`` float32 values,
    least significant byte first. Some writers put a line feed after the values, before the next word."""
    header = _parse_header(stream.readline(_LONGEST_WORD))
    if header is None or header[1] < 1:
        raise VectorsError("There is no word2vec header.", where=name, hint="Expected: count, space, size.")
    count, size = header
    _check_size(size, where=name)
    width = size * 4
    hint = "Is this a word2vec binary file?"
    buffer, at = b"", 0
    for number in range(1, count + 1):
        where = f"{name}: word {number} of {count}"
        end = buffer.find(b" ", at)
        while end < 0 or len(buffer) < end + 1 + width:
            chunk = stream.read(_CHUNK)
            if not chunk:
                raise VectorsError("The file ends in the middle.", where=where, hint="Fetch the file again.")
            buffer, at = buffer[at:] + chunk, 0
            end = buffer.find(b" ")
            if (end < 0 and len(buffer) > _LONGEST_WORD) or end > _LONGEST_WORD:
                raise VectorsError("No word was found.", where=where, hint=hint)
        values = np.frombuffer(buffer, dtype="<f4", count=size, offset=end + 1)
        word = buffer[at:end].lstrip(b"\n").decode("utf-8", errors="replace")
        yield word, partial(_finite, values, where=where, hint=hint)
        at = end + 1 + width
