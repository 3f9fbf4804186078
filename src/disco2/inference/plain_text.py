"""What may be given as text, how it is decoded, and what annotators see of it."""

from __future__ import annotations

import codecs

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


UTF_8 = "utf-8"
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}  # by the mark they begin with


def decoded(data: bytes, *, encoding: str = UTF_8, where: str = "") -> str:
    """The text, its line ends kept, a byte order mark removed. InputError where the encoding does not fit.

    What begins with the mark of UTF-16 is read as that, unless another encoding is asked for.
    """
    name = _UTF16.get(data[:2], encoding) if encoding == UTF_8 else encoding
    try:
        return data.decode(name).removeprefix("\ufeff")
    except LookupError:
        raise _unknown(encoding) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"The text is not {name}: byte {data[error.start]:#04x} at offset {error.start}, line {line}.",
            where=where,
            hint="Give the encoding it was written in, such as: --encoding latin-1",
        ) from None
    except UnicodeError as error:
        raise InputError(f"The text is not {name}: {error}.", where=where) from None


def check_encoding(encoding: str) -> None:
    """Raise InputError where there is no encoding of that name, or none for texts."""
    try:
        b"a".decode(encoding)  # without a byte, Python would not look
    except UnicodeError:
        return
    except (LookupError, ValueError):
        raise _unknown(encoding) from None


def _unknown(encoding: str) -> InputError:
    return InputError(f"There is no encoding '{encoding}'.", hint="Try utf-8 or latin-1.")
