"""Vectors as a binary file: word2vec's."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from disco2.errors import VectorsError
from disco2.vectors.selection import Selection
from disco2.vectors.text_format import check_size, parse_header

_CHUNK = 1 << 22
_LONGEST_WORD = 1 << 16


def read_word2vec_binary(stream: BinaryIO, *, name: str, selection: Selection) -> None:
    """Add the rows of a word2vec binary file to ``selection``.

    The format: a line ``count size``, then for each word its bytes, a space, and ``size`` float32 values,
    least significant byte first. Some writers put a line feed after the values, before the next word.
    """
    header = parse_header(stream.readline(_LONGEST_WORD))
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
            chunk = stream.read(_CHUNK)
            if not chunk:
                raise VectorsError("The file ends in the middle.", where=where, hint="Fetch the file again.")
            buffer, at = buffer[at:] + chunk, 0
            end = buffer.find(b" ")
            if (end < 0 and len(buffer) > _LONGEST_WORD) or end > _LONGEST_WORD:
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
