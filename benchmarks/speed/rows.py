"""What was measured: a rate, the memory it took, and what it stands beside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Beside:
    """A floor or a reference, measured in turns with the product. ``ratio``: the product's rate over it."""

    name: str
    rate: float | None = None
    ratio: float | None = None
    note: str = ""  # why there is no figure


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement. ``rate`` counts ``unit`` a second; ``peak`` is in bytes, see ``memory``."""

    name: str
    unit: str
    rate: float
    beside: tuple[Beside, ...] = ()
    peak: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)  # such as sizes, for the JSON file

    def ratio(self, name: str) -> float:
        """The ratio to what is called so."""
        for one in self.beside:
            if one.name == name and one.ratio is not None:
                return one.ratio
        raise KeyError(name)


def row(
    name: str,
    unit: str,
    *,
    count: float,
    seconds: Mapping[str, float],
    product: str = "product",
    peak: int | None = None,
    absent: Sequence[Beside] = (),
    facts: Mapping[str, Any] | None = None,
) -> Row:
    """A row from best seconds: all of them are for the same ``count`` of units."""
    own = seconds[product]
    found = [
        Beside(other, count / spent, spent / own) for other, spent in seconds.items() if other != product
    ]
    return Row(name, unit, count / own, (*found, *absent), peak, facts or {})


HEADINGS = ("measured", "a second", "peak MB", "beside", "a second", "ratio")


def table(rows: Iterable[Row]) -> str:
    """A Markdown table with a line for each thing that a row stands beside."""
    lines: list[tuple[str, ...]] = []
    for one in rows:
        start = (one.name, f"{_figure(one.rate)} {one.unit}", _megabytes(one.peak))
        for other in one.beside or (Beside(""),):
            rate = other.note or ("" if other.rate is None else _figure(other.rate))
            ratio = "" if other.ratio is None else _figure(other.ratio)
            lines.append((*start, other.name, rate, ratio))
            start = ("", "", "")
    widths = [max(len(line[place]) for line in (HEADINGS, *lines)) for place in range(len(HEADINGS))]
    rule = tuple("-" * width for width in widths)
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in (HEADINGS, rule, *lines)
    )


def as_json(one: Row) -> dict[str, Any]:
    """A row as plain data."""
    return {
        "name": one.name,
        "unit": one.unit,
        "a_second": one.rate,
        "peak_bytes": one.peak,
        "beside": [
            {"name": other.name, "a_second": other.rate, "ratio": other.ratio}
            | ({"note": other.note} if other.note else {})
            for other in one.beside
        ],
        **one.facts,
    }


def _figure(value: float) -> str:
    """Three digits, or whole numbers where there are more before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _megabytes(peak: int | None) -> str:
    return "" if peak is None else _figure(peak / 2**20)
