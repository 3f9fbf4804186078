"""Read files and folders of corpora: bytes to text, text to lines, JSON and tables."""

from __future__ import annotations

import codecs
import csv
import gc
import io
import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from reprlib import Repr
from typing import Any

from disco2.data import ReadIssues
from disco2.errors import CorpusError
from disco2.files import TwinKeyError, without_twins

BYTE_ORDER_MARK = "\ufeff"
NOT_UTF8 = "not UTF-8"
WRONG_COLUMNS = "wrong number of columns"  # a finding; the row is skipped
DELIMITERS = ",;\t"
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


def split_lines(text: str) -> list[str]:
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
        raise BrokenJsonError(f"The key {shorten(error.key)} occurs twice in one object", 1) from None
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


def read_json_lines(text: str, *, path: Path, issues: ReadIssues) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and object of every line; a line that is no JSON object is a finding."""
    for number, line in enumerate(split_lines(text), start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except BrokenJsonError as error:
            issues.add("broken line", f"{path}:{number}", f"Not JSON: {error.reason}; skipped.")
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            issues.add("broken line", f"{path}:{number}", "Not an object in braces; skipped.")


def read_table(
    text: str, *, path: Path, required: Collection[str], known: Collection[str] = (), issues: ReadIssues
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the first line and the cells of every row of a table with commas, semicolons or tabs.

    Names of columns are in lower case. A row of another length is a finding. Raises CorpusError if the header
    lacks a required column, or has one of the ``known`` columns twice.
    """
    lines = io.StringIO(text.removeprefix(BYTE_ORDER_MARK), newline="").readlines()
    delimiter, header, place = _read_header(lines, path=path, required=required, known=known)
    eaten = 0  # up to this line, quoting over several lines was found to be broken
    while place < len(lines):
        where = f"{path}:{place + 1}"
        row, taken = _read_row(lines, place, delimiter, alone=place < eaten)
        if row is None or len(row) != len(header):
            # A quotation mark that never closes takes the lines after it: read this line without quoting.
            eaten = max(eaten, place + taken - 1)
            row, taken = lines[place].rstrip("\r\n").split(delimiter), 1
            if len(row) == len(header):
                issues.add("stray quotation mark", where, "The line was read without quoting.")
        if len(row) == len(header) and any(cell.strip() for cell in row):
            yield place + 1, dict(zip(header, row, strict=True))
        elif any(cell.strip() for cell in row):
            columns = f"{len(row)} columns where the header has {len(header)}"
            issues.add(WRONG_COLUMNS, where, f"{columns}; skipped.")
        place += taken


def find_double(columns: Sequence[str], known: Collection[str]) -> str | None:
    """The first of the known columns that occurs twice."""
    return next((name for name in known if columns.count(name) > 1), None)


def _read_row(
    lines: Sequence[str], place: int, delimiter: str, *, alone: bool = False
) -> tuple[list[str] | None, int]:
    """The row that begins on a line and the number of lines read; None if its quoting is broken."""
    end = place + 1 if alone else len(lines)
    rows = csv.reader((lines[at] for at in range(place, end)), delimiter=delimiter, strict=True)
    try:
        return next(rows), rows.line_num
    except csv.Error:
        return None, rows.line_num


def _read_header(
    lines: Sequence[str], *, path: Path, required: Collection[str], known: Collection[str]
) -> tuple[str, list[str], int]:
    """The delimiter under which the first row has the required columns, that row, and its number of lines."""
    for delimiter in DELIMITERS if lines else ():
        row, taken = _read_row(lines, 0, delimiter)
        header = [cell.strip().lower() for cell in row or ()]
        if set(required) <= set(header):
            if twice := find_double(header, known):
                raise CorpusError(
                    f"The column '{twice}' occurs twice.", where=f"{path}:1", hint="Rename one of the two."
                )
            return delimiter, header, taken
    raise CorpusError(
        f"The first line does not name the columns {' and '.join(required)}.",
        where=f"{path}:1",
        hint=f"Begin the file with a header such as: {','.join(required)},label",
    )


def shorten(value: object) -> str:
    """A value of a JSON text for a message, cut short."""
    return _SHORT.repr(value)


def quote_first_fault(issues: ReadIssues, kinds: Collection[str] = ()) -> str:
    """Quote the first finding, of these kinds or else not about the encoding, for an error message."""
    for finding in issues.findings:
        if finding.kind in kinds if kinds else finding.kind != NOT_UTF8:
            return f" The first fault: {finding.where}: {finding.detail}"
    return ""


def check_folder(path: Path, *, holds: str) -> Path:
    """Return the folder; raise CorpusError, saying what it should hold, if there is none."""
    if not path.is_dir():
        problem = "This is a file, not a folder" if path.exists() else "There is no such folder"
        raise CorpusError(f"{problem}; {holds} should be there.", where=str(path), hint="Check the path.")
    return path


def list_files(folder: Path) -> Iterator[Path]:
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
