"""What stands in the field ID of a relation."""

from __future__ import annotations


def written_identity(name: str) -> int | str:
    """The shared task numbers its relations, and its evaluation wants the same numbers back."""
    return int(name) if name.isascii() and name.isdecimal() and str(int(name)) == name else name
