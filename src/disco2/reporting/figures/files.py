"""A figure -> its files."""

from __future__ import annotations

import os
from pathlib import Path

from disco2.errors import InputError
from disco2.files import behind_link, check_file_place, write_text
from disco2.reporting.figures.canvas import png, svg
from disco2.reporting.findings import Figure


def write_figure(figure: Figure, folder: Path) -> list[Path]:
    """Write ``<name>.png`` and ``<name>.svg``, each beside its place and renamed into it."""
    pixels, drawing = folder / f"{figure.name}.png", folder / f"{figure.name}.svg"
    _write_bytes(pixels, png(figure))
    write_text(drawing, [svg(figure)])
    return [pixels, drawing]


def _write_bytes(path: Path, content: bytes) -> None:
    check_file_place(path)
    path = behind_link(path)
    scratch = path.parent / f".{path.name}-{os.getpid()}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            scratch.write_bytes(content)
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"It can't be written: {error.strerror or error}.",
            where=str(path),
            hint="Choose another place, or make room on the disk.",
        ) from error
