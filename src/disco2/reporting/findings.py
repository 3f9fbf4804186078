"""What an experiment found, as plain data, and its tables as Markdown, CSV, LaTeX and text.

Shares are from 0 to 1; renderings show percentages.
"""

from __future__ import annotations

import csv as comma_separated
import io
import re
from dataclasses import dataclass, field
from typing import Any

MINUS = "−"  # noqa: RUF001  a minus sign is as wide as a plus; a hyphen is not
ABSENT = "–"  # noqa: RUF001  an en dash


@dataclass(frozen=True)
class Measure:
    """A share with its standard deviation over seeds and its 95% interval over relations, if known.

    ``published`` figures are other people's, never measured here; every rendering says so. ``decimals`` are
    those of the percentage.
    """

    mean: float
    deviation: float | None = None
    interval: tuple[float, float] | None = None
    n: int | None = None
    published: bool = False
    decimals: int = 1


@dataclass(frozen=True)
class Difference:
    """How much better one system is than another, in shares, with its 95% interval."""

    mean: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class PValue:
    """The probability of such a difference by chance alone."""

    value: float


# None is a figure that does not exist, such as the accuracy on a part without relations.
Cell = str | int | Measure | Difference | PValue | None
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """``name`` is that of its files; the first column is text, the others figures."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def is_text_column(self, place: int) -> bool:
        """Whether a column has words rather than figures; the first one always does."""
        cells = [row[place] for row in self.rows if row[place] is not None]
        return place == 0 or (bool(cells) and all(isinstance(cell, str) for cell in cells))


@dataclass(frozen=True)
class Series:
    """One line of a figure: a measure at each x."""

    name: str
    points: tuple[tuple[float, Measure], ...]


@dataclass(frozen=True)
class LineFigure:
    """Measures over a quantity, such as accuracy over the number of dimensions."""

    name: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]


@dataclass(frozen=True)
class PlacedWord:
    """A word on a map; those with a ``group`` (such as pronouns) are marked and named."""

    word: str
    x: float
    y: float
    group: str = ""


@dataclass(frozen=True)
class MapFigure:
    """Words as points in the plane."""

    name: str
    title: str
    words: tuple[PlacedWord, ...]


Figure = LineFigure | MapFigure


@dataclass(frozen=True)
class Findings:
    """All that one experiment found. ``words`` are paragraphs; ``data`` is for machines (JSON)."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)


def cell_text(cell: Cell) -> str:
    """A cell on one line of plain text."""
    if cell is None:
        return ABSENT
    if isinstance(cell, str):
        return " ".join(cell.split())
    if isinstance(cell, int):
        return f"{cell:,}".replace("-", MINUS)
    if isinstance(cell, PValue):
        # Two decimals, but three where two would hide on which side of 0.01 or 0.05 it lies.
        decimals = 3 if cell.value < 0.01 or 0.045 <= cell.value < 0.055 else 2
        return "< 0.001" if cell.value < 0.001 else f"{cell.value:.{decimals}f}"
    if isinstance(cell, Difference):
        mean, *bounds = (percent(share, signed=True) for share in (cell.mean, *(cell.interval or ())))
        return f"{mean} [{', '.join(bounds)}]" if bounds else mean
    text = percent(cell.mean, decimals=cell.decimals)
    if cell.deviation is not None:
        text += f" ± {percent(cell.deviation, decimals=cell.decimals)}"
    if cell.interval:
        text += f" ({' to '.join(percent(bound, decimals=cell.decimals) for bound in cell.interval)})"
    return f"{text} (published)" if cell.published else text


def percent(share: float, *, decimals: int = 1, signed: bool = False) -> str:
    """0.472 -> "47.2". What is rounded to zero has no minus."""
    value = round(100 * share, decimals) + 0.0  # which turns -0.0 into 0.0
    return f"{value:{'+' if signed else ''}.{decimals}f}".replace("-", MINUS)


def plain(table: Table) -> tuple[list[str], list[list[str]]]:
    """The headings, and the text of every cell."""
    return list(table.columns), [[cell_text(cell) for cell in row] for row in table.rows]


def explained_notes(table: Table) -> list[str]:
    """What percentages, ± and brackets mean, for a table that stands alone; then its own notes."""
    cells = [cell for row in table.rows for cell in row if isinstance(cell, Measure | Difference)]
    measures = [cell for cell in cells if isinstance(cell, Measure)]
    legend = ["Figures are percentages."] if measures else []
    if any(one.deviation is not None for one in measures):
        legend.append("± is the standard deviation over seeds.")
    if any(cell.interval for cell in cells):
        legend.append("Intervals are 95%.")
    return [*([" ".join(legend)] if legend else []), *table.notes]


# Punctuation that would format the text around it, and an ampersand that would begin a character's name.
_MARKDOWN_SIGNS = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")


def markdown(table: Table) -> str:
    """Title, table, notes; figures are set to the right."""
    rules = ["---" if table.is_text_column(place) else "---:" for place in range(len(table.columns))]
    cells = [
        [escaped(cell) if isinstance(cell, str) else cell_text(cell) for cell in row] for row in table.rows
    ]
    rows = [map(escaped, table.columns), rules, *cells]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    notes = map(escaped, explained_notes(table))
    return "\n\n".join([f"**{escaped(table.title)}**", lines, *notes]) + "\n"


def escaped(text: str) -> str:
    """Text on one line, without any character that Markdown would take for its own."""
    return _MARKDOWN_SIGNS.sub(r"\\\g<0>", " ".join(text.split()))


Value = str | int | float | None
FIELDS = ("", "mean", "difference", "deviation", "low", "high", "n", "published")


def csv(table: Table) -> str:
    """A heading and the rows; a column of measures becomes several: ``test mean``, ``test low``, and so on.

    Only fields that some cell of the column has become columns. What a cell does not have is left empty.
    """
    columns: list[list[Value]] = []
    for place, heading in enumerate(table.columns):
        cells = [_csv_fields(row[place]) for row in table.rows]
        used = [name for name in FIELDS if any(cell.get(name) is not None for cell in cells)]
        columns += [
            [f"{heading} {name}".strip(), *(cell.get(name) for cell in cells)] for name in used or [""]
        ]
    stream = io.StringIO(newline="")
    comma_separated.writer(stream, lineterminator="\n").writerows(zip(*columns, strict=True))
    return stream.getvalue()


def _csv_fields(cell: Cell) -> dict[str, Value]:
    """The values of a cell by field; a cell that is one value stands under the bare heading."""
    if not isinstance(cell, Measure | Difference):
        return {"": cell.value if isinstance(cell, PValue) else cell}
    bounds = dict(zip(("low", "high"), cell.interval or (), strict=False))
    if isinstance(cell, Difference):
        return {"difference": cell.mean, **bounds}
    published = "true" if cell.published else None
    return {"mean": cell.mean, "deviation": cell.deviation, **bounds, "n": cell.n, "published": published}


def latex(table: Table) -> str:
    """A floating table."""
    alignment = "".join("l" if table.is_text_column(place) else "r" for place in range(len(table.columns)))
    headings, *rows = (
        f"    {' & '.join(map(latex_text, row))} \\\\" for row in (table.columns, *plain(table)[1])
    )
    notes = map(latex_text, explained_notes(table))
    lines = [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{latex_text(table.title)}}}",
        rf"  \label{{tab:{table.name}}}",
        r"  \small",
        rf"  \begin{{tabular}}{{{alignment}}}",
        r"    \toprule",
        headings,
        r"    \midrule",
        *rows,
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par\smallskip{{\footnotesize {note}\par}}" for note in notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


# TeX's own characters, and signs that pdfTeX does not know in text.
_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "{}&%$#_"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    | {"±": r"$\pm$", MINUS: "$-$", ABSENT: "--", "∩": r"$\cap$"}
)


def latex_text(text: str) -> str:
    """Any text on one line of LaTeX."""
    return " ".join(text.split()).translate(_LATEX)
