"""Figures as PNG and SVG, readable in black and white; needs matplotlib (extra ``plots``)."""

from disco2.reporting.figures.canvas import check_plots, png, svg
from disco2.reporting.figures.files import write_figure

__all__ = ["check_plots", "png", "svg", "write_figure"]
