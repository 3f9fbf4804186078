"""A file of pairs, one JSON object a line, read as it comes: {"arg1": "...", "arg2": "...", "id": "..."}.

``id`` may be left out; other names are passed over. A line that is no pair is reported, never raised.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from disco2.errors import InputError
from disco2.inference.given_pair import GivenPair
from disco2.twin_keys import TwinKeyError, without_twins

LONGEST_LINE = 10_000_000  # bytes
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class PairLine:
    """One line of the input, counted from 1; either a pair or what is wrong with it."""

    number: int
    id: str | int | None = None
    pair: GivenPair | None = None
    error: str = ""


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """The lines that are not blank, with their numbers; None for one that is too long to be kept."""
    number = 0
    while raw := stream.readline(LONGEST_LINE + 1):
        number += 1
        line: bytes | None = raw.removeprefix(_BYTE_ORDER_MARK) if number == 1 else raw
        if len(raw) > LONGEST_LINE:
            line = None
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(LONGEST_LINE)
        if line is None or line.strip():
            yield number, line


def parse_pair_line(number: int, line: bytes | None) -> PairLine:
    """The pair of one line, or why it is none."""
    if line is None:
        return PairLine(number, error=f"The line has more than {LONGEST_LINE:,} bytes.")
    try:
        data = json.loads(line.decode("utf-8"), object_pairs_hook=without_twins)
    except UnicodeDecodeError as error:
        return PairLine(
            number, error=f"Byte {error.start} of the line, {line[error.start]:#04x}, is not UTF-8."
        )
    except TwinKeyError as error:
        return PairLine(number, error=f"The name '{error.key:.80}' occurs twice in one object.")
    except json.JSONDecodeError as error:
        return PairLine(number, error=f"This is not JSON: {error.msg} at character {error.pos}.")
    except ValueError:
        return PairLine(number, error="A number in this JSON has too many digits.")
    except RecursionError:
        return PairLine(number, error="This JSON is nested too deeply.")
    if not isinstance(data, dict):
        return PairLine(number, error="This is not an object in braces.")
    name = data.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int | None):
        return PairLine(number, error="'id' is neither a text nor a whole number.")
    if isinstance(name, str):
        name = name.encode("utf-8", errors="replace").decode("utf-8")  # no file can hold half a character
    return _pair_line(number, name, data)


def _pair_line(number: int, name: str | int | None, data: dict[str, Any]) -> PairLine:
    for argument in ("arg1", "arg2"):
        if not isinstance(data.get(argument), str):
            said = "is not a text" if argument in data else "is missing"
            return PairLine(number, name, error=f"'{argument}' {said}.")
    try:
        return PairLine(number, name, GivenPair(data["arg1"], data["arg2"], id=f"line{number}"))
    except InputError as error:
        return PairLine(number, name, error=str(error))
