"""Read a file of word vectors; its format is told from its content, not from its name."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO, cast

from disco2.errors import VectorsError
from disco2.vectors import fasttext_model
from disco2.vectors.binary_format import read_word2vec_binary
from disco2.vectors.selection import Selection
from disco2.vectors.text_format import parse_header, read_text
from disco2.vectors.word_vectors import WordVectors

_GZIP_MAGIC = b"\x1f\x8b"
_PREVIEW = 4096
_CONTROL_BYTES = frozenset(range(32)) - frozenset(b"\t\n\r")


def read_vectors(path: Path, *, keep: Collection[str] | None = None, frequent: int = 0) -> WordVectors:
    """The vectors in a file: GloVe text, word2vec text or binary, fastText ``.vec`` or ``.bin``.

    All but the last may be compressed with gzip. Kept are the file's first ``frequent`` words and those in
    ``keep``; with ``keep=None``, all of them.
    """
    selection = Selection(keep=keep, frequent=frequent)
    name = str(path)
    try:
        with path.open("rb") as file:
            compressed = file.read(2) == _GZIP_MAGIC
        with cast(BinaryIO, gzip.open(path, "rb")) if compressed else path.open("rb") as stream:
            preview = stream.read(_PREVIEW)
            if preview.startswith(fasttext_model.MAGIC):
                if compressed:
                    raise VectorsError(
                        "A compressed fastText model can't be read.",
                        where=name,
                        hint=f"Unpack it first: gunzip {name}",
                    )
                fasttext_model.read_fasttext_model(path, selection=selection)
            else:
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
