"""Read files and folders that others wrote: bytes to text, text to JSON."""

from __future__ import annotations

import codecs
import gc
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from reprlib import Repr

from disco2.data import Dirt
from disco2.errors import CorpusError
from disco2.twin_keys import TwinKeyError, without_twins

BYTE_ORDER_MARK = "\ufeff"
NOT_UTF8 = "not UTF-8"
UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}  # by the mark they begin with

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Escapes of a valid JSON text one by one: a pair of halves, half a character (in a group), any other.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80


def read_text(path: Path, *, dirt: Dirt, encoding: str = "auto") -> str:
    """Read the text of a file, character by character as it stands there.

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
    """Split a table or JSON lines into lines, without their ends and without a byte order mark.

    Lines end with ``\\n`` or ``\\r\\n``. Other characters that Python's ``splitlines`` takes for line
    ends, such as U+2028, stay inside their line.
    """
    lines = text.removeprefix(BYTE_ORDER_MARK).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


class BrokenJsonError(ValueError):
    """Text that is not JSON, or JSON that no program could write out again; ``line`` counts from 1."""

    def __init__(self, reason: str, line: int) -> None:
        self.reason = reason
        self.line = line
        super().__init__(reason)


def parse_json(text: str) -> object:
    """Parse a JSON text.

    Raises BrokenJsonError, also where an object has one key twice, of which the parser would take the last,
    and where a string holds half a character.
    """
    try:
        value: object = json.loads(text, object_pairs_hook=without_twins)
    except json.JSONDecodeError as error:
        raise BrokenJsonError(f"{error.msg} at column {error.colno}", error.lineno) from None
    except TwinKeyError as error:
        raise BrokenJsonError(f"The key {shown(error.key)} occurs twice in one object", 1) from None
    except ValueError:
        raise BrokenJsonError("A number has too many digits", 1) from None
    except RecursionError:
        raise BrokenJsonError("It is nested too deeply", 1) from None
    # An escaped surrogate without its other half passes the parser and fails much later, when it is written.
    if _SURROGATE.search(text):
        half = next((escape for escape in _ESCAPE.finditer(text) if escape[1]), None)
        if half is not None:
            line = text.count("\n", 0, half.start()) + 1
            raise BrokenJsonError("A string holds one half of a surrogate pair", line)
    return value


def shown(value: object) -> str:
    """Show a value of a JSON text in a message: short, however long or deep it is."""
    return _SHORT.repr(value)


def first_fault(dirt: Dirt) -> str:
    """Quote the first finding that is not about the encoding, for a message that nothing can be used."""
    first = next((finding for finding in dirt.findings if finding.kind != NOT_UTF8), None)
    return f" The first fault: {first.where}: {first.detail}" if first else ""


def existing_folder(path: Path, *, holds: str) -> Path:
    """Return the folder; raise CorpusError, saying what it should hold, where it is not there."""
    if not path.is_dir():
        problem = "This is a file, not a folder" if path.exists() else "There is no such folder"
        raise CorpusError(f"{problem}; {holds} should be there.", where=str(path), hint="Check the path.")
    return path


def files_below(folder: Path) -> Iterator[Path]:
    """List the files below a folder in order, without hidden ones; CorpusError where one can't be read."""
    paths = [
        Path(inside, name)
        for inside, _, names in os.walk(folder, onerror=_raise)
        for name in names
        if not name.startswith(".")
    ]
    return (path for path in sorted(paths) if path.is_file())


def _raise(error: OSError) -> None:
    """Python would pass over a folder without rights, and the corpus would silently lose it."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise CorpusError(
            f"The folder can't be read ({error.strerror or error}).",
            where=str(error.filename),
            hint="Check its rights.",
        )


@contextmanager
def cycles_left_alone() -> Iterator[None]:
    """Look for no cycles inside; memory without cycles is freed as ever.

    The millions of records that readers make refer to each other in one direction only, so that Python would
    look through all of them, again and again, for nothing: a fifth of the time it takes to read a corpus.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
