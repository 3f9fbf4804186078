"""Text from a file or from standard input, character by character as it stands there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from disco2.errors import InputError
from disco2.inference.decoding import UTF_8, decoded
from disco2.interfaces.cli.offered_values import ENCODINGS, among

STANDARD_INPUT = Path("-")
Encoding = Annotated[str, typer.Option(help="Encoding of the file.", autocompletion=among(ENCODINGS))]


def read_input(path: Path, *, encoding: str = UTF_8) -> str:
    """The text of a file (``-``: standard input), its line ends kept, a byte order mark removed.

    A file that begins with the mark of UTF-16 is read as that.
    """
    return decoded(read_bytes(path), encoding=encoding, where=_name(path))


def read_bytes(path: Path) -> bytes:
    """All bytes of a file or of standard input; InputError where it can't be read."""
    try:
        return standard_input().read() if path == STANDARD_INPUT else path.read_bytes()
    except FileNotFoundError:
        raise InputError("There is no such file.", where=str(path), hint="Check the path.") from None
    except IsADirectoryError:
        raise InputError("This is a folder; a file is needed.", where=str(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"It can't be read: {reason}.", where=_name(path)) from None


def standard_input() -> BinaryIO:
    """Its bytes; InputError where whoever started the program has closed it."""
    if sys.stdin is None:
        raise InputError("Standard input is closed.", hint="Send a text there, or give the path of a file.")
    return sys.stdin.buffer


def document_name(path: Path) -> str:
    """What a document from this file is called."""
    return "text" if path == STANDARD_INPUT else path.stem.encode(errors="replace").decode()


def _name(path: Path) -> str:
    return "standard input" if path == STANDARD_INPUT else str(path)
