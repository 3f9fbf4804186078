"""A table as Markdown, as comma-separated values, and as text for a terminal. Shares become percentages."""

from __future__ import annotations

import csv as comma_separated
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from disco2.reporting.findings import Cell, Difference, Measure, PValue, Table

# The text of a cell and of its pieces, as all renderings have it.


MINUS = "−"  # noqa: RUF001  a minus sign is as wide as a plus; a hyphen is not
ABSENT = "–"  # noqa: RUF001  an en dash
PUBLISHED = "published"
SMALLEST_P = 0.001


@dataclass(frozen=True, slots=True)
class MeasureText:
    """The pieces of a measure; those that are not known are empty."""

    mean: str
    deviation: str
    interval: tuple[str, str] | None


def measure_text(measure: Measure) -> MeasureText:
    decimals = _decimals(measure)
    known = measure.deviation is not None and math.isfinite(measure.deviation)
    return MeasureText(
        mean=percent(measure.mean, decimals=decimals),
        deviation=percent(measure.deviation or 0.0, decimals=decimals) if known else "",
        interval=_bounds(measure.interval, decimals=decimals, signed=False),
    )


def difference_text(difference: Difference) -> tuple[str, tuple[str, str] | None]:
    """The difference and its interval, in points with their signs."""
    return percent(difference.mean, signed=True), _bounds(difference.interval, decimals=1, signed=True)


def p_text(p: PValue) -> str:
    """Two decimals, but three where two would hide on which side of 0.01 or 0.05 it lies."""
    if math.isnan(p.value):
        return ABSENT
    if p.value < SMALLEST_P:
        return f"< {SMALLEST_P}"
    fine = p.value < 0.01 or 0.045 <= p.value < 0.055
    return f"{p.value:.3f}" if fine else f"{p.value:.2f}"


def cell_text(cell: Cell) -> str:
    """A cell on one line of plain text."""
    if cell is None:
        return ABSENT
    if isinstance(cell, str):
        return " ".join(cell.split())
    if isinstance(cell, int):
        return f"{cell:,}".replace("-", MINUS)
    if isinstance(cell, PValue):
        return p_text(cell)
    if isinstance(cell, Difference):
        difference, bounds = difference_text(cell)
        return f"{difference} [{bounds[0]}, {bounds[1]}]" if bounds else difference
    text = measure_text(cell)
    pieces = [text.mean, f" ± {text.deviation}" if text.deviation else "", cell.marks]
    if text.interval:
        pieces.append(f" ({text.interval[0]} to {text.interval[1]})")
    if cell.published:
        pieces.append(f" ({PUBLISHED})")
    return "".join(pieces)


def percent(share: float, *, decimals: int = 1, signed: bool = False) -> str:
    """0.472 -> "47.2". What is rounded to zero has no minus."""
    if not math.isfinite(share):
        return ABSENT
    value = round(100 * share, decimals) + 0.0  # which turns -0.0 into 0.0
    return f"{value:{'+' if signed else ''}.{decimals}f}".replace("-", MINUS)


def is_text_column(table: Table, place: int) -> bool:
    """Whether a column has words rather than figures; the first one always does."""
    cells = [cell for cell in table.column(place) if cell is not None]
    return place == 0 or (bool(cells) and all(isinstance(cell, str) for cell in cells))


def is_published_column(table: Table, place: int) -> bool:
    """Whether all of a column's figures are other people's."""
    return is_published(table.column(place))


def is_published(cells: Sequence[Cell]) -> bool:
    """Whether there are measures among cells, and all of them are other people's."""
    measures = [cell for cell in cells if isinstance(cell, Measure)]
    others = [cell for cell in cells if isinstance(cell, Difference | PValue)]
    return bool(measures) and not others and all(measure.published for measure in measures)


def legend(table: Table) -> str:
    """What ± and brackets mean, for a table that stands alone; empty where it has neither."""
    cells = [cell for row in table.rows for cell in row]
    measures = [cell for cell in cells if isinstance(cell, Measure)]
    explained = []
    if any(measure.deviation is not None for measure in measures):
        explained.append("± is the standard deviation over seeds")
    if any(cell.interval for cell in cells if isinstance(cell, Measure | Difference)):
        explained.append("intervals are 95%")
    sentence = "; ".join((["Figures are percentages"] if measures else []) + explained) + "."
    return sentence[0].upper() + sentence[1:] if explained else ""


def _decimals(measure: Measure) -> int:
    if measure.decimals is not None:
        return measure.decimals
    value = round(100 * measure.mean, 2)
    return 2 if measure.published and round(value, 1) != value else 1


def _bounds(interval: tuple[float, float] | None, *, decimals: int, signed: bool) -> tuple[str, str] | None:
    if interval is None or not all(map(math.isfinite, interval)):
        return None
    low, high = (percent(bound, decimals=decimals, signed=signed) for bound in interval)
    return low, high


def plain(table: Table) -> tuple[list[str], list[list[str]]]:
    """The headings, and the text of every cell."""
    return list(table.columns), [[cell_text(cell) for cell in row] for row in table.rows]


# Punctuation that would format the text around it, and an ampersand that would begin a character's name.
_MARKDOWN_SIGNS = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")


def markdown(table: Table) -> str:
    """Title, table, notes; figures are set to the right."""
    rules = ["---" if is_text_column(table, place) else "---:" for place in range(len(table.columns))]
    lines = [
        _markdown_row([escaped(column) for column in table.columns]),
        _markdown_row(rules),
        *(_markdown_row([_markdown_cell(cell) for cell in row]) for row in table.rows),
    ]
    notes = [escaped(note) for note in (legend(table), *table.notes) if note]
    return "\n\n".join([f"**{escaped(table.title)}**", "\n".join(lines), *notes]) + "\n"


def escaped(text: str) -> str:
    """Text on one line, without any character that Markdown would take for its own."""
    return _MARKDOWN_SIGNS.sub(lambda found: f"\\{found[0]}", " ".join(text.split()))


def _markdown_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return escaped(cell)
    if isinstance(cell, Measure):
        cell = replace(cell, marks=escaped(cell.marks))
    return cell_text(cell)


def _markdown_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


# Comma-separated values, for machines: shares from 0 to 1 in full precision.


Value = str | int | float

WHOLE = ""  # of a cell that is one value: it stands under the bare heading
FIELDS = (WHOLE, "mean", "difference", "deviation", "low", "high", "n", "published", "marks")


def csv(table: Table) -> str:
    """A heading and the rows; a column of measures becomes several: ``test mean``, ``test low``, and so on.

    Only fields that some cell of the column has become columns. What a cell does not have is left empty.
    """
    columns = [[_csv_fields(cell) for cell in table.column(place)] for place in range(len(table.columns))]
    fields = [_present_fields(cells) for cells in columns]
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


def _present_fields(cells: Sequence[Mapping[str, Value]]) -> list[str]:
    used = {field for cell in cells for field in cell}
    if not any(cell.get("published") == "true" for cell in cells):
        used.discard("published")
    return [field for field in FIELDS if field in used] or [WHOLE]


def _csv_fields(cell: Cell) -> dict[str, Value]:
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
