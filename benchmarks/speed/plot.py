"""Sweeps and growth as one picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from disco2.reporting.figures import DOTS_PER_INCH, STYLE, check_plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PICTURES", "check_plots", "draw"]

PICTURES = (".svg", ".png")
OVER = {
    "K": "dimensions K",
    "batch": "pairs in a batch",
    "words": "words in an argument",
    "mentions": "mentions on each side",
}
COLOURS = {"training": "tab:blue", "scoring": "tab:orange"}
LINES = {1: "-", 2: ":"}
GROWING = {"pairs": "pairs in a batch", "words": "words in an argument", "mentions": "mentions on each side"}


def draw(sweeps: Sequence[dict[str, Any]], growth: Sequence[dict[str, Any]], suffix: str) -> bytes:
    """Rows of panels: ratio to the floor, pairs a second, growth of time and memory."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(14, 9.5), layout="constrained")
        panels = figure.subplots(3, len(OVER))
        for column, over in enumerate(OVER):
            points = [point for point in sweeps if point["over"] == over]
            _ratios(panels[0][column], points, over)
            _rates(panels[1][column], points, over)
        for column, over in enumerate(GROWING):
            _growth(panels[2][column], [point for point in growth if point["over"] == over], over)
        panels[0][0].set_ylabel("ratio to the floor")
        panels[1][0].set_ylabel("pairs a second")
        panels[2][0].set_ylabel("times the first point")
        legend = panels[2][-1]
        legend.axis("off")
        steps, growing = (panels[row][0].get_legend_handles_labels() for row in (0, 2))
        legend.add_artist(legend.legend(*steps, loc="upper left", title="rows 1 and 2"))
        legend.legend(*growing, loc="lower left", title="row 3: one training step")
        stream = io.BytesIO()
        plain: dict[str, Any] = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}
        figure.savefig(stream, format=suffix[1:], dpi=DOTS_PER_INCH, metadata=plain[suffix])
    return stream.getvalue()


def _ratios(panel: Axes, points: Sequence[dict[str, Any]], over: str) -> None:
    _curves(panel, points, "to_floor")
    panel.axhline(1, color="grey", linewidth=0.8)
    panel.set(xscale="log", ylim=(0, 1.1), title=OVER[over])
    _ticks(panel, points)


def _rates(panel: Axes, points: Sequence[dict[str, Any]], over: str) -> None:
    _curves(panel, points, "pairs_a_second")
    panel.set(xscale="log", yscale="log", xlabel=OVER[over])
    _ticks(panel, points)


def _curves(panel: Axes, points: Sequence[dict[str, Any]], figure: str) -> None:
    for work, colour in COLOURS.items():
        for threads, line in LINES.items():
            some = [point for point in points if point["threads"] == threads]
            panel.plot(
                [point["value"] for point in some],
                [point[f"{work}_{figure}"] for point in some],
                line,
                color=colour,
                marker=".",
                label=f"{work}, {threads} BLAS thread{'s' if threads > 1 else ''}",
            )


def _growth(panel: Axes, points: Sequence[dict[str, Any]], over: str) -> None:
    values = [point["value"] for point in points]
    panel.plot(values, [value / values[0] for value in values], color="grey", label="doubling doubles")
    for figure, name, colour in (("seconds", "time", "tab:blue"), ("peak_bytes", "peak memory", "tab:green")):
        first = points[0][figure]
        panel.plot(values, [point[figure] / first for point in points], color=colour, marker=".", label=name)
    panel.set(xscale="log", yscale="log", xlabel=GROWING[over])
    _ticks(panel, points)


def _ticks(panel: Axes, points: Sequence[dict[str, Any]]) -> None:
    """The values themselves, thinned where there are many; plain numbers on a logarithmic axis."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    if panel.get_yscale() == "log":
        panel.yaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,g}"))
        panel.yaxis.set_minor_formatter(NullFormatter())
    values = sorted({point["value"] for point in points})
    panel.set_xticks(
        values[:: 1 + len(values) // 7], [str(value) for value in values[:: 1 + len(values) // 7]]
    )
    panel.set_xticks([], minor=True)
