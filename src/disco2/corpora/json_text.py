"""JSON that somebody else wrote: whatever is wrong with it becomes one kind of error."""

from __future__ import annotations

import json
import re

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class BrokenJsonError(ValueError):
    """Text that is not JSON, or JSON that no program could write out again; ``line`` counts from 1."""

    def __init__(self, reason: str, line: int) -> None:
        self.reason = reason
        self.line = line
        super().__init__(reason)


def parse_json(text: str) -> object:
    """The value of a JSON text. Raises BrokenJsonError, also where a string holds half a character."""
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise BrokenJsonError(f"{error.msg} at column {error.colno}", error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise BrokenJsonError(str(error), 1) from None
    # An escaped surrogate without its other half passes the parser and fails much later, when it is written.
    escaped = re.search(r"\\u[dD][89a-fA-F]", text)
    if escaped and _LONE_SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        raise BrokenJsonError(
            "A string holds one half of a surrogate pair", text.count("\n", 0, escaped.start()) + 1
        )
    return value
