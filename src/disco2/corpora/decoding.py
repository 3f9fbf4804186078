"""Bytes to text, without losing the count of characters."""

from __future__ import annotations

import codecs
from pathlib import Path

from disco2.errors import CorpusError
from disco2.records import Dirt

BYTE_ORDER_MARK = "\ufeff"
NOT_UTF8 = "not UTF-8"
UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}  # by the mark they begin with


def read_text(path: Path, *, dirt: Dirt, encoding: str = "auto") -> str:
    """The text of a file, character by character as it stands there.

    Line ends are kept, since character offsets of annotations count them: ``\\r\\n`` stays two characters. A
    byte order mark is kept too. ``auto`` takes UTF-16 where a file begins with its mark, and else tries
    UTF-8, then latin-1 (which fits any bytes) and notes that in ``dirt``. An encoding given by name is used
    alone and must fit.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise CorpusError("There is no such file.", where=str(path), hint="Check the path.") from None
    except IsADirectoryError:
        raise CorpusError(
            "This is a folder; a file is needed.", where=str(path), hint="Check the path."
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise CorpusError(
            f"The file can't be read ({reason}).", where=str(path), hint="Check its rights."
        ) from None
    if encoding == "auto":
        encoding = UTF16.get(data[:2], "auto")
    if encoding != "auto":
        return _decode_as(data, path, encoding)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        dirt.add(
            NOT_UTF8,
            where=f"{path}:{line}",
            detail=f"byte {data[error.start]:#04x} is not UTF-8; the file was read as latin-1",
        )
        return data.decode("latin-1")


def _decode_as(data: bytes, path: Path, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except LookupError:
        raise CorpusError(
            f"There is no encoding '{encoding}'.", where=str(path), hint="Try utf-8, latin-1 or auto."
        ) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            f"The file is not {encoding}: {error.reason}.",
            where=f"{path}:{line}",
            hint="Try the encoding auto.",
        ) from None
    except UnicodeError as error:
        raise CorpusError(
            f"The file is not {encoding}: {error}.", where=str(path), hint="Try the encoding auto."
        ) from None


def lines_of(text: str) -> list[str]:
    """The lines of a table or of JSON lines, without their ends and without a byte order mark.

    Lines end with ``\\n`` or ``\\r\\n``. Other characters that Python's ``splitlines`` takes for line
    ends, such as U+2028, stay inside their line.
    """
    lines = text.removeprefix(BYTE_ORDER_MARK).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
