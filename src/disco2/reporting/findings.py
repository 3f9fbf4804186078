"""What an experiment found, as plain data, and its tables as Markdown, CSV, LaTeX and text.

Shares are from 0 to 1; renderings show percentages.
"""

from __future__ import annotations

import csv as comma_separated
import io
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

MINUS = "−"  # noqa: RUF001  a minus sign is as wide as a plus; a hyphen is not
ABSENT = "–"  # noqa: RUF001  an en dash
PUBLISHED = "published"
SMALLEST_P = 0.001


@dataclass(frozen=True, slots=True)
class Measure:
    """A share with its standard deviation over seeds and its 95% interval over relations, if known.

    ``published`` figures are other people's, never measured here; every rendering marks them. ``marks`` are
    signs that a note of the table explains, such as a dagger. ``decimals`` are those of the percentage; None:
    one, and for a published figure as many as it has, up to two.
    """

    mean: float
    deviation: float | None = None
    interval: tuple[float, float] | None = None
    n: int | None = None
    published: bool = False
    marks: str = ""
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better one system is than another, in shares, with its 95% interval."""

    mean: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class PValue:
    """The probability of such a difference by chance alone."""

    value: float


# None is a figure that does not exist, such as the accuracy on a part without relations.
Cell = str | int | Measure | Difference | PValue | None


@dataclass(frozen=True, slots=True)
class Table:
    """``name`` is that of its files; the first column is text, the others figures."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"Table {self.name}: {len(row)} cells under {len(self.columns)} columns: {row}"
                )

    def column(self, place: int) -> list[Cell]:
        """The cells under a heading."""
        return [row[place] for row in self.rows]


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a figure: a measure at each x."""

    name: str
    points: tuple[tuple[float, Measure], ...]


@dataclass(frozen=True, slots=True)
class LineFigure:
    """Measures over a quantity, such as accuracy over the number of dimensions."""

    name: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class DotFigure:
    """One measure for each of several systems, one below the other."""

    name: str
    title: str
    x_label: str
    rows: tuple[tuple[str, Measure], ...]


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word on a map; those with a ``group`` (such as pronouns) are marked and named."""

    word: str
    x: float
    y: float
    group: str = ""


@dataclass(frozen=True, slots=True)
class MapFigure:
    """Words as points in the plane."""

    name: str
    title: str
    words: tuple[PlacedWord, ...]


Figure = LineFigure | DotFigure | MapFigure


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """How often (mean over seeds) each gold label (rows) was predicted as each label (columns)."""

    title: str
    labels: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Turned:
    """A relation that one system gets right and another one wrong.

    ``before`` and ``after`` are the answers of the two systems; ``entities`` has for each shared entity its
    mentions in the first and in the second argument.
    """

    relation: str
    first: str
    second: str
    gold: tuple[str, ...]
    before: str
    after: str
    right: bool  # turned right (or else wrong)
    entities: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    seeds: tuple[int, int] | None = None  # how many seeds agree, of how many


@dataclass(frozen=True)
class Findings:
    """All that one experiment found. ``words`` are paragraphs; ``data`` is for machines (JSON)."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    confusions: tuple[ConfusionMatrix, ...] = ()
    turned: tuple[Turned, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)


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


# A figure with its interval below it, so that tables stay narrow.
MACRO = (
    r"\providecommand{\withinterval}[2]"
    r"{\begin{tabular}[t]{@{}r@{}}#1\\[-0.3ex]{\scriptsize #2}\end{tabular}}"
)


def latex(table: Table) -> str:
    """A floating table; published figures are in italics, and a note says so."""
    alignment = "".join("l" if is_text_column(table, place) else "r" for place in range(len(table.columns)))
    published = any(isinstance(cell, Measure) and cell.published for row in table.rows for cell in row)
    notes = [latex_text(note) for note in (legend(table), *table.notes) if note]
    if published:
        notes.append(r"\textit{Italic} figures are published ones, not measured here.")
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
        _latex_row([latex_text(column) for column in table.columns]),
        r"    \midrule",
        *(_latex_row([_latex_cell(cell) for cell in row]) for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par\smallskip{{\footnotesize {note}\par}}" for note in notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: list[str]) -> str:
    # A bracket that begins a row would be taken for an option of the row before.
    if cells[0].startswith("["):
        cells = [f"{{}}{cells[0]}", *cells[1:]]
    return f"    {' & '.join(cells)} \\\\"


def _latex_cell(cell: Cell) -> str:
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
    return f"${text.replace(MINUS, '-')}$" if text[0] in f"+<{MINUS}" else text


# TeX's own characters, and signs that pdfTeX does not know in text. Letters up to U+017F it reads as UTF-8.
_LATEX = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "{}&%$#_"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "*": r"$\ast$",
    "±": r"$\pm$",
    "×": r"$\times$",  # noqa: RUF001
    "−": "$-$",  # noqa: RUF001
    "–": "--",  # noqa: RUF001
    "—": "---",
    "‘": "`",  # noqa: RUF001
    "’": "'",  # noqa: RUF001
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "∩": r"$\cap$",
    "→": r"$\rightarrow$",
    "\u00a0": "~",
}


def latex_text(text: str) -> str:
    """Any text on one line of LaTeX."""
    return "".join(map(_latex_character, " ".join(unicodedata.normalize("NFC", text).split())))


def _latex_character(character: str) -> str:
    if character in _LATEX or character < "\u0180":
        return _LATEX.get(character, character)
    name = unicodedata.name(character, "").lower()
    if re.fullmatch(r"greek small letter (?!omicron)[a-z]+", name):
        return rf"$\{name.split()[-1].replace('lamda', 'lambda')}$"
    return rf"\texttt{{U+{ord(character):04X}}}"
