"""Read files and folders of corpora: bytes to text, text to lines and JSON."""

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

from disco2.data import ReadIssues
from disco2.errors import CorpusError
from disco2.twin_keys import TwinKeyError, without_twins

BYTE_ORDER_MARK = "\ufeff"
NOT_UTF8 = "not UTF-8"
UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}  # by their byte order marks

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Escapes of a valid JSON text one by one: a surrogate pair, an unpaired surrogate (in a group), any other.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80


def read_text(path: Path, *, issues: ReadIssues, encoding: str = "auto") -> str:
    """Read a file with its line ends and byte order mark, since character offsets count them.

    ``auto`` reads UTF-16 if the file has its byte order mark, else UTF-8, else latin-1 (which fits any bytes)
    with a finding. An encoding given by name must fit.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        raise CorpusError(
            f"The file can't be read ({reason}).", where=str(path), hint="Check the path and its permissions."
        ) from None
    chosen = UTF16.get(data[:2], "utf-8") if encoding == "auto" else encoding
    try:
        return data.decode(chosen)
    except LookupError:
        raise CorpusError(
            f"Unknown encoding '{encoding}'.", where=str(path), hint="Try utf-8, latin-1 or auto."
        ) from None
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = data.count(b"\n", 0, start) + 1
        place = f"{path}:{line}"
        if chosen == "utf-8" and encoding == "auto":
            detail = f"byte {data[start]:#04x} is not UTF-8; the file was read as latin-1"
            issues.add(NOT_UTF8, place, detail)
            return data.decode("latin-1")
        raise CorpusError(
            f"The file is not {chosen}: {getattr(error, 'reason', error)}.",
            where=place,
            hint="Try the encoding auto.",
        ) from None


def lines_of(text: str) -> list[str]:
    """Split a table or JSON lines into lines, without their ends and without a byte order mark.

    Lines end with ``\\n`` or ``\\r\\n``, or with ``\\r`` if there is no other line end. Other characters that
    ``str.splitlines`` splits at, such as U+2028, stay inside their line.
    """
    lines = text.removeprefix(BYTE_ORDER_MARK).split("\n" if "\n" in text else "\r")
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
    """Parse a JSON text; raise BrokenJsonError, also for a repeated key or an unpaired surrogate."""
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
    if _SURROGATE.search(text):  # the parser takes an unpaired one, and writing it fails much later
        unpaired = next((escape for escape in _ESCAPE.finditer(text) if escape[1]), None)
        if unpaired is not None:
            line = text.count("\n", 0, unpaired.start()) + 1
            raise BrokenJsonError("A string contains an unpaired surrogate", line)
    return value


def shown(value: object) -> str:
    """A value of a JSON text for a message: short, however long or deep it is."""
    return _SHORT.repr(value)


def first_fault(issues: ReadIssues) -> str:
    """Quote the first finding that is not about the encoding, for an error that nothing can be used."""
    first = next((finding for finding in issues.findings if finding.kind != NOT_UTF8), None)
    return f" The first fault: {first.where}: {first.detail}" if first else ""


def existing_folder(path: Path, *, holds: str) -> Path:
    """Return the folder; raise CorpusError, saying what it should hold, if there is none."""
    if not path.is_dir():
        problem = "This is a file, not a folder" if path.exists() else "There is no such folder"
        raise CorpusError(f"{problem}; {holds} should be there.", where=str(path), hint="Check the path.")
    return path


def files_below(folder: Path) -> Iterator[Path]:
    """The files below a folder in order, without hidden ones; CorpusError if a folder can't be read."""
    paths = [
        Path(inside, name)
        for inside, _, names in os.walk(folder, onerror=_raise)
        for name in names
        if not name.startswith(".")
    ]
    return (path for path in sorted(paths) if path.is_file())


def _raise(error: OSError) -> None:
    """By default ``os.walk`` skips a folder without permissions, and the corpus would silently lose it."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise CorpusError(
            f"The folder can't be read ({error.strerror or error}).",
            where=str(error.filename),
            hint="Check its permissions.",
        )


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Switch the search for reference cycles off.

    The millions of records that readers make have no cycles; looking for them takes a fifth of the time to
    read a corpus.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
