r"""A table as LaTeX, to be ``\input`` where the package booktabs is loaded."""

from __future__ import annotations

import re

from disco2.reporting.findings import Cell, Difference, Measure, PValue, Table
from disco2.reporting.tables.cells import (
    ABSENT,
    MINUS,
    difference_text,
    is_text_column,
    legend,
    measure_text,
    p_text,
)
from disco2.reporting.tables.latex_text import latex_text

# A figure with its interval below it, so that tables stay narrow.
MACRO = (
    r"\providecommand{\withinterval}[2]"
    r"{\begin{tabular}[t]{@{}r@{}}#1\\[-0.3ex]{\scriptsize #2}\end{tabular}}"
)
ITALIC_NOTE = r"\textit{Italic} figures are published ones, not measured here."


def latex(table: Table) -> str:
    """A floating table; published figures are in italics, and a note says so."""
    alignment = "".join("l" if is_text_column(table, place) else "r" for place in range(len(table.columns)))
    published = any(isinstance(cell, Measure) and cell.published for row in table.rows for cell in row)
    notes = [latex_text(note) for note in (legend(table), *table.notes) if note]
    if published:
        notes.append(ITALIC_NOTE)
    lines = [
        r"% Needs \usepackage{booktabs}.",
        MACRO,
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{latex_text(table.title)}}}",
        rf"  \label{{tab:{re.sub(r'[^A-Za-z0-9.:-]+', '-', table.name)}}}",
        r"  \small",
        rf"  \begin{{tabular}}{{{alignment}}}",
        r"    \toprule",
        _row([latex_text(column) for column in table.columns]),
        r"    \midrule",
        *(_row([_cell(cell) for cell in row]) for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par\smallskip{{\footnotesize {note}\par}}" for note in notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    # A bracket that begins a row would be taken for an option of the row before.
    if cells[0].startswith("["):
        cells = [f"{{}}{cells[0]}", *cells[1:]]
    return f"    {' & '.join(cells)} \\\\"


def _cell(cell: Cell) -> str:
    if cell is None:
        return "--"
    if isinstance(cell, str):
        return latex_text(cell)
    if isinstance(cell, int):
        return f"{cell:,}".replace("-", "$-$")
    if isinstance(cell, PValue):
        return _number(p_text(cell))
    if isinstance(cell, Difference):
        difference, bounds = difference_text(cell)
        return _with_interval(_number(difference), bounds)
    return _measure(cell)


def _measure(measure: Measure) -> str:
    text = measure_text(measure)
    mean = rf"\textit{{{_number(text.mean)}}}" if measure.published else _number(text.mean)
    deviation = rf" $\pm$ {text.deviation}" if text.deviation else ""
    marks = rf"\textsuperscript{{{latex_text(measure.marks)}}}" if measure.marks else ""
    return _with_interval(mean + deviation + marks, text.interval)


def _with_interval(figure: str, interval: tuple[str, str] | None) -> str:
    if interval is None:
        return figure
    return rf"\withinterval{{{figure}}}{{{_number(interval[0])} to {_number(interval[1])}}}"


def _number(text: str) -> str:
    """A figure; in mathematics only where it has a sign, since italics do not reach there."""
    if text == ABSENT:
        return "--"
    return f"${_signs(text)}$" if text[0] in f"+<{MINUS}" else text


def _signs(text: str) -> str:
    return text.replace(MINUS, "-")
