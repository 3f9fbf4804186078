"""A table as the page's template needs it."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.reporting.findings import Cell, Difference, Measure, Table
from disco2.reporting.page.ids import Ids
from disco2.reporting.tables.cells import (
    PUBLISHED,
    cell_text,
    difference_text,
    is_published,
    is_published_column,
    is_text_column,
    measure_text,
)


@dataclass(frozen=True, slots=True)
class CellView:
    """``small`` stands below ``text``: the interval. ``tag`` is a word of its own: published."""

    text: str
    style: str
    small: str = ""
    marks: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class ColumnView:
    heading: str
    style: str
    tag: str


@dataclass(frozen=True, slots=True)
class RowView:
    heading: str
    tag: str
    cells: list[CellView]


@dataclass(frozen=True, slots=True)
class TableView:
    id: str
    title: str
    columns: list[ColumnView]
    rows: list[RowView]
    notes: tuple[str, ...]


def table_view(table: Table, ids: Ids) -> TableView:
    """A column or a row of published figures alone is marked in its heading, others are in their cells."""
    places = range(len(table.columns))
    styles = ["words" if is_text_column(table, place) else "number" for place in places]
    theirs = [is_published_column(table, place) for place in places]
    columns = [
        ColumnView(
            heading=table.columns[place],
            style=styles[place] if place else "",
            tag=PUBLISHED if theirs[place] and PUBLISHED not in table.columns[place].lower() else "",
        )
        for place in places
    ]
    rows = []
    for heading, *cells in table.rows:
        # Figures under a heading that is marked do not make the row one of theirs.
        whole_row = is_published([cell for cell, column in zip(cells, theirs[1:], strict=True) if not column])
        views = [
            _cell(cell, style=style, tagged=not (column or whole_row))
            for cell, style, column in zip(cells, styles[1:], theirs[1:], strict=True)
        ]
        rows.append(RowView(cell_text(heading), PUBLISHED if whole_row else "", views))
    return TableView(ids.fresh(f"table-{table.name}"), table.title, columns, rows, table.notes)


def _cell(cell: Cell, *, style: str, tagged: bool) -> CellView:
    if isinstance(cell, Difference):
        difference, bounds = difference_text(cell)
        return CellView(difference, style, small=f"{bounds[0]} to {bounds[1]}" if bounds else "")
    if not isinstance(cell, Measure):
        return CellView(cell_text(cell), style)
    text = measure_text(cell)
    return CellView(
        text=f"{text.mean} ± {text.deviation}" if text.deviation else text.mean,
        style=f"{style} published" if cell.published else style,
        small=f"{text.interval[0]} to {text.interval[1]}" if text.interval else "",
        marks=cell.marks,
        tag=PUBLISHED if cell.published and tagged else "",
    )
