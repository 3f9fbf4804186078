"""JSON that somebody else wrote: whatever is wrong with it becomes one kind of error."""

from __future__ import annotations

import json
import re
from reprlib import Repr

from disco2.twin_keys import TwinKeyError, without_twins

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Escapes of a valid JSON text one by one: a pair of halves, half a character (in a group), any other.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80


class BrokenJsonError(ValueError):
    """Text that is not JSON, or JSON that no program could write out again; ``line`` counts from 1."""

    def __init__(self, reason: str, line: int) -> None:
        self.reason = reason
        self.line = line
        super().__init__(reason)


def parse_json(text: str) -> object:
    """The value of a JSON text.

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
    """A value of a JSON text for a message: short, however long or deep it is."""
    return _SHORT.repr(value)
