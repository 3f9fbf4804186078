"""A figure -> its files."""

from __future__ import annotations

from pathlib import Path

from disco2.files import write_bytes, write_text
from disco2.reporting.figures.canvas import png, svg
from disco2.reporting.findings import Figure


def write_figure(figure: Figure, folder: Path) -> list[Path]:
    """Write ``<name>.png`` and ``<name>.svg``, each beside its place and renamed into it."""
    pixels, drawing = folder / f"{figure.name}.png", folder / f"{figure.name}.svg"
    write_bytes(pixels, png(figure))
    write_text(drawing, [svg(figure)])
    return [pixels, drawing]
