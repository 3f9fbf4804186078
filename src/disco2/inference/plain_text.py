"""What may be given as text, and what annotators get to see of it."""

from __future__ import annotations

from disco2.errors import InputError

# Annotators were never trained on these and some stumble over them; a space keeps every offset where it was.
_SPACES = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 133), *range(134, 160)), " ")


def check_text(text: object, *, where: str = "") -> str:
    """The text itself; InputError where it is no text, or holds what no text file can hold."""
    if not isinstance(text, str):
        raise InputError(f"A text is needed, not {type(text).__name__}.", where=where)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"Character {error.start} of the text, U+{ord(text[error.start]):04X}, is half of a character.",
            where=where,
            hint="Decode the text with the encoding it was written in.",
        ) from None
    return text


def without_controls(text: str) -> str:
    """The text with spaces for control characters such as NUL; its length does not change."""
    return text.translate(_SPACES)


def has_word(text: str) -> bool:
    """Whether any character is a letter or a digit, in whatever script."""
    return any(map(str.isalnum, text))
