"""How many things are done at a time."""

from __future__ import annotations

import sys

from disco2.errors import InputError


def check_batch_size(size: object, *, of: str, hint: str = "Give a batch size of 1 or more.") -> int:
    """The size itself, at most what a loop can count to; InputError where it is no whole number from 1 on."""
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise InputError(f"A batch can't have {size} {of}.", hint=hint)
    return min(size, sys.maxsize)
