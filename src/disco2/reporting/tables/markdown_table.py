"""A table as GitHub's Markdown."""

from __future__ import annotations

import re
from dataclasses import replace

from disco2.reporting.findings import Cell, Measure, Table
from disco2.reporting.tables.cells import cell_text, is_text_column, legend

# Punctuation that would format the text around it, and an ampersand that would begin a character's name.
_ACTIVE = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")


def markdown(table: Table) -> str:
    """Title, table, notes; figures are set to the right."""
    rules = ["---" if is_text_column(table, place) else "---:" for place in range(len(table.columns))]
    lines = [
        _row([escaped(column) for column in table.columns]),
        _row(rules),
        *(_row([_cell(cell) for cell in row]) for row in table.rows),
    ]
    notes = [escaped(note) for note in (legend(table), *table.notes) if note]
    return "\n\n".join([f"**{escaped(table.title)}**", "\n".join(lines), *notes]) + "\n"


def escaped(text: str) -> str:
    """Text on one line, without any character that Markdown would take for its own."""
    return _ACTIVE.sub(lambda found: f"\\{found[0]}", " ".join(text.split()))


def _cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    if isinstance(cell, Measure):
        cell = replace(cell, marks=escaped(cell.marks))
    return cell_text(cell)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
