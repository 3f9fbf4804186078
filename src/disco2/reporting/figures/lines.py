"""Measures over a quantity: a line for each series, told apart by marker and dashes, not by colour."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from disco2.reporting.findings import LineFigure, Measure, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# Marker, dashes, grey level, and whether the marker is filled.
STYLES: tuple[tuple[str, Any, str, bool], ...] = (
    ("o", "-", "0.0", True),
    ("s", (0, (5, 2)), "0.35", False),
    ("^", (0, (1.5, 1.5)), "0.0", True),
    ("D", (0, (6, 1.5, 1.5, 1.5)), "0.35", False),
    ("v", "-", "0.55", False),
    ("P", (0, (3, 1)), "0.0", True),
    ("X", (0, (1, 3)), "0.35", True),
    ("*", (0, (8, 3)), "0.55", True),
)
MOST_TICKS = 12
SHIFT = 0.05  # of the gap between neighbouring x: bars at the same x stand side by side


def draw_lines(figure: LineFigure) -> Canvas:
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(6.4, 4.2), layout="constrained")
    axes = canvas.add_subplot()
    places = sorted({x for series in figure.series for x, _ in series.points})
    gap = min((high - low for low, high in pairwise(places)), default=1.0)
    for number, series in enumerate(figure.series):
        middle = number - (len(figure.series) - 1) / 2
        _draw_series(axes, series, number, shift=SHIFT * gap * middle)
    if len(places) <= MOST_TICKS:
        axes.set_xticks(places, [f"{place:g}" for place in places])
    axes.set_title(figure.title, loc="left")
    axes.set_xlabel(figure.x_label)
    axes.set_ylabel(figure.y_label)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    if figure.series:
        canvas.legend(loc="outside lower center", ncols=min(len(figure.series), 2), handlelength=3.2)
    return canvas


def _draw_series(axes: Axes, series: Series, number: int, *, shift: float) -> None:
    """A line through the means, with the 95% interval of each; where it is not known, the deviation."""
    marker, dashes, grey, filled = STYLES[number % len(STYLES)]
    known = [(x, measure) for x, measure in series.points if math.isfinite(measure.mean)]
    points = sorted(known, key=lambda point: point[0])
    published = bool(points) and all(measure.published for _, measure in points)
    bars = [_bar(measure) for _, measure in points]
    spread = [[below for below, _ in bars], [above for _, above in bars]]
    axes.errorbar(
        [x + shift for x, _ in points],
        [100 * measure.mean for _, measure in points],
        yerr=None if all(math.isnan(below) for below, _ in bars) else spread,
        label=f"{series.name} (published)" if published else series.name,
        color=grey,
        linestyle=dashes,
        linewidth=1.4,
        marker=marker,
        markersize=6,
        markerfacecolor=grey if filled and not published else "white",
        elinewidth=0.8,
        capsize=2.5,
    )


def _bar(measure: Measure) -> tuple[float, float]:
    """How far a bar reaches below and above the mean, in points; not a number where there is no bar."""
    if measure.interval is not None:
        low, high = measure.interval
        return max(100 * (measure.mean - low), 0.0), max(100 * (high - measure.mean), 0.0)
    spread = math.nan if measure.deviation is None else 100 * measure.deviation
    return spread, spread
