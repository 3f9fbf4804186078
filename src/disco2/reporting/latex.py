r"""A table as LaTeX, to be ``\input`` where the package booktabs is loaded."""

from __future__ import annotations

import re
import unicodedata

from disco2.reporting.findings import Cell, Difference, Measure, PValue, Table
from disco2.reporting.tables import (
    ABSENT,
    MINUS,
    difference_text,
    is_text_column,
    legend,
    measure_text,
    p_text,
)

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


# Any text as LaTeX that compiles under pdfTeX without further packages.
#
# TeX's own characters are escaped, accents become commands (``\'{e}``), signs and Greek letters become
# mathematics. What is left, such as a Chinese character, is named by its number, so that it is not lost.


ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",  # the straight one is not in TeX's default encoding
}
SIGNS = {
    "−": "$-$",  # noqa: RUF001
    "–": "--",  # noqa: RUF001
    "—": "---",
    "‘": "`",  # noqa: RUF001
    "’": "'",  # noqa: RUF001
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "±": r"$\pm$",
    "×": r"$\times$",  # noqa: RUF001
    "·": r"$\cdot$",
    "•": r"$\bullet$",
    "°": r"$^{\circ}$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∩": r"$\cap$",
    "∪": r"$\cup$",  # noqa: RUF001
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "√": r"$\surd$",
    "∞": r"$\infty$",
    "*": r"$\ast$",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "©": r"\copyright{}",
    "£": r"\pounds{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",  # noqa: RUF001
    "µ": r"$\mu$",
    "\u00a0": "~",
    "\u00ad": r"\-",
}
# By the combining character that Unicode decomposes an accented letter into.
ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma "
    "tau upsilon phi chi psi omega"
)
GREEK = _GREEK.split()
GREEK_CAPITALS = {"Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"}
FIRST_GREEK, FIRST_GREEK_CAPITAL = ord("α"), ord("Α")  # noqa: RUF001


def latex_text(text: str) -> str:
    """The text on one line."""
    return "".join(map(_latex_character, " ".join(unicodedata.normalize("NFC", text).split())))


def _latex_character(character: str) -> str:
    if escape := ESCAPES.get(character) or SIGNS.get(character):
        return escape
    if " " <= character <= "\x7e":
        return character
    return _accented(character) or _greek(character) or rf"\texttt{{U+{ord(character):04X}}}"


def _accented(character: str) -> str:
    base, *accents = list(unicodedata.normalize("NFD", character))
    if len(accents) != 1 or accents[0] not in ACCENTS or not base.isascii():
        return ""
    return rf"\{ACCENTS[accents[0]]}{{{base}}}"


def _greek(character: str) -> str:
    small = ord(character) - FIRST_GREEK
    if 0 <= small < len(GREEK):
        return "o" if GREEK[small] == "omicron" else rf"$\{GREEK[small]}$"
    capital = ord(character) - FIRST_GREEK_CAPITAL
    if 0 <= capital < len(GREEK):
        name = GREEK[capital].capitalize()
        return rf"$\{name}$" if name in GREEK_CAPITALS else ""
    return ""
