"""A table in four forms: Markdown, comma-separated values, LaTeX, and text for a terminal."""

from disco2.reporting.tables.csv_table import csv
from disco2.reporting.tables.latex_table import latex
from disco2.reporting.tables.markdown_table import markdown
from disco2.reporting.tables.plain_table import plain

__all__ = ["csv", "latex", "markdown", "plain"]
