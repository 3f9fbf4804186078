"""A table as columns and rows of text, for a terminal."""

from __future__ import annotations

from disco2.reporting.findings import Table
from disco2.reporting.tables.cells import cell_text


def plain(table: Table) -> tuple[list[str], list[list[str]]]:
    """The headings, and the text of every cell."""
    return list(table.columns), [[cell_text(cell) for cell in row] for row in table.rows]
