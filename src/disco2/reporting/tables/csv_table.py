"""A table as comma-separated values, for machines: shares from 0 to 1 in full precision."""

from __future__ import annotations

import csv as comma_separated
import io
import math
from collections.abc import Mapping, Sequence

from disco2.reporting.findings import Cell, Difference, Measure, PValue, Table

Value = str | int | float

WHOLE = ""  # of a cell that is one value: it stands under the bare heading
FIELDS = (WHOLE, "mean", "difference", "deviation", "low", "high", "n", "published", "marks")


def csv(table: Table) -> str:
    """A heading and the rows; a column of measures becomes several: ``test mean``, ``test low``, and so on.

    Only fields that some cell of the column has become columns. What a cell does not have is left empty.
    """
    columns = [[_fields(cell) for cell in table.column(place)] for place in range(len(table.columns))]
    fields = [_present(cells) for cells in columns]
    stream = io.StringIO(newline="")
    writer = comma_separated.writer(stream, lineterminator="\n")
    writer.writerow(
        f"{heading} {field}".strip()
        for heading, chosen in zip(table.columns, fields, strict=True)
        for field in chosen
    )
    for row in range(len(table.rows)):
        writer.writerow(
            cells[row].get(field, "")
            for cells, chosen in zip(columns, fields, strict=True)
            for field in chosen
        )
    return stream.getvalue()


def _present(cells: Sequence[Mapping[str, Value]]) -> list[str]:
    used = {field for cell in cells for field in cell}
    if not any(cell.get("published") == "true" for cell in cells):
        used.discard("published")
    return [field for field in FIELDS if field in used] or [WHOLE]


def _fields(cell: Cell) -> dict[str, Value]:
    found: dict[str, Value | None]
    if isinstance(cell, Measure):
        low, high = cell.interval or (None, None)
        found = {
            "mean": cell.mean,
            "deviation": cell.deviation,
            "low": low,
            "high": high,
            "n": cell.n,
            "published": "true" if cell.published else "false",
            "marks": cell.marks or None,
        }
    elif isinstance(cell, Difference):
        low, high = cell.interval or (None, None)
        found = {"difference": cell.mean, "low": low, "high": high}
    else:
        found = {WHOLE: cell.value if isinstance(cell, PValue) else cell}
    return {field: value for field, value in found.items() if value is not None and not _is_nan(value)}


def _is_nan(value: Value) -> bool:
    return isinstance(value, float) and math.isnan(value)
