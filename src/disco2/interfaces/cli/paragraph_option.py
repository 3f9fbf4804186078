"""The option that says what ends a paragraph."""

from __future__ import annotations

from typing import Annotated

import typer

from disco2.errors import InputError
from disco2.inference.candidates import PARAGRAPH_BREAKS
from disco2.interfaces.cli.offered_values import among

_NAMES = ", ".join(PARAGRAPH_BREAKS)
Paragraphs = Annotated[
    str, typer.Option(help=f"What ends a paragraph: {_NAMES}.", autocompletion=among(PARAGRAPH_BREAKS))
]


def check_paragraphs(paragraphs: str) -> None:
    """Refuse an unknown name before any model is loaded."""
    if paragraphs not in PARAGRAPH_BREAKS:
        raise InputError(f"There are no paragraphs '{paragraphs}'.", hint=f"Use one of: {_NAMES}.")
