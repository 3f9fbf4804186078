"""The text of a cell and of its pieces, as all renderings have it. Shares become percentages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from disco2.reporting.findings import Cell, Difference, Measure, PValue, Table

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
