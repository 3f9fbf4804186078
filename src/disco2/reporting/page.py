"""Findings -> files: data, tables, figures, and one self-contained HTML page without scripts.

<folder>/findings/<name>.json      everything, for programs
<folder>/tables/<table>.md .csv .tex
<folder>/figures/<figure>.png .svg

Each file is written beside its place and renamed into it. Everything that the templates insert is escaped.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from disco2.files import filled, write_bytes, write_text
from disco2.reporting.figures import png, svg
from disco2.reporting.findings import (
    ABSENT,
    Cell,
    ConfusionMatrix,
    Difference,
    DotFigure,
    Figure,
    Findings,
    LineFigure,
    MapFigure,
    Measure,
    PValue,
    Table,
    Turned,
    cell_text,
    csv,
    figure_text,
    latex,
    markdown,
    percent,
)
from disco2.version import VERSION

TEMPLATE = Path(__file__).parent / "templates" / "report.html"
FORMATS = {".md": markdown, ".csv": csv, ".tex": latex}
CELL_KINDS = {Measure: "measure", Difference: "difference", PValue: "p"}
FIGURE_KINDS = {LineFigure: "lines", DotFigure: "dots", MapFigure: "map"}
SHADES = 8  # of a confusion matrix, as in the template's style
SHOWN = 10  # turned relations of each list; the others can be unfolded

View = dict[str, Any]  # what a template gets
Numbers = Iterator[int]  # for ids that are used once


def write_findings(findings: Findings, folder: Path) -> None:
    """Write data, tables and figures.

    Figures, which need the extra ``plots``, come last: without it, the rest is written all the same.
    """
    content = json.dumps(findings_content(findings), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(folder / "findings" / f"{findings.name}.json", [content + "\n"])
    for table in findings.tables:
        for ending, form in FORMATS.items():
            write_text(folder / "tables" / f"{table.name}{ending}", [form(table)])
    for figure in findings.figures:
        write_bytes(folder / "figures" / f"{figure.name}.png", png(figure))
        write_text(folder / "figures" / f"{figure.name}.svg", [svg(figure)])


def findings_content(findings: Findings) -> dict[str, Any]:
    """Findings as JSON: figures in tables say of which kind they are."""
    return {
        "name": findings.name,
        "title": findings.title,
        "words": findings.words,
        "data": findings.data,
        "tables": [
            asdict(table) | {"rows": [[_json_cell(cell) for cell in row] for row in table.rows]}
            for table in findings.tables
        ],
        "figures": [{"kind": FIGURE_KINDS[type(figure)]} | asdict(figure) for figure in findings.figures],
        "confusions": [asdict(matrix) for matrix in findings.confusions],
        "turned": [asdict(relation) for relation in findings.turned],
    }


def _json_cell(cell: Cell) -> Any:
    if isinstance(cell, Measure | Difference | PValue):
        return {"kind": CELL_KINDS[type(cell)]} | asdict(cell)
    return cell


def report_page(
    findings: Sequence[Findings],
    *,
    title: str,
    settings: str,
    versions: Mapping[str, str],
    facts: Mapping[str, str],
    summary: Findings | None = None,
) -> str:
    """The HTML of a report: the ``summary`` in words with its figures, a section for each of the findings.

    ``settings`` is a TOML file; ``versions`` are those of the packages that took part; ``facts`` are corpus,
    split, seeds, when, how long. Figures need the extra ``plots``.
    """
    numbers = count(1)
    return filled(
        TEMPLATE,
        title=title,
        facts=facts,
        summary=_section(summary, numbers) if summary else None,
        sections=[_section(found, numbers) for found in findings],
        settings=settings,
        versions=versions,
        version=VERSION,
    )


def _section(findings: Findings, numbers: Numbers) -> View:
    return {
        "findings": findings,
        "tables": [table_view(table, numbers) for table in findings.tables],
        "figures": [_figure_view(figure, numbers) for figure in findings.figures],
        "confusions": [confusion_view(matrix, numbers) for matrix in findings.confusions],
        "turned": _turned_view(findings.turned, numbers),
    }


def table_view(table: Table, numbers: Numbers) -> View:
    styles = ["words" if table.is_text_column(place) else "number" for place in range(len(table.columns))]
    return {
        "id": f"table-{next(numbers)}",
        "title": table.title,
        "columns": list(zip(table.columns, ["", *styles[1:]], strict=True)),
        "rows": [
            (cell_text(row[0]), [_cell_view(*pair) for pair in zip(row[1:], styles[1:], strict=True)])
            for row in table.rows
        ],
        "notes": table.notes,
    }


def _cell_view(cell: Cell, style: str) -> View:
    """``small`` is the interval below the text."""
    text, bounds = figure_text(cell) if isinstance(cell, Measure | Difference) else (cell_text(cell), ())
    theirs = isinstance(cell, Measure) and cell.published
    return {"text": text, "style": style, "small": " to ".join(bounds), "published": theirs}


def confusion_view(matrix: ConfusionMatrix, numbers: Numbers) -> View:
    """Counts, shaded by their share of the gold label; recall and precision of each label."""
    whole = all(count == round(count) for counts in matrix.counts for count in counts)

    def text(count: float) -> str:
        """Means over seeds need not be whole: then all but the zeros have one decimal."""
        return f"{count:,.0f}" if whole or not count else f"{count:,.1f}"

    def share(part: float, total: float) -> str:
        return percent(part / total, decimals=0) if total else ABSENT

    totals = [sum(column) for column in zip(*matrix.counts, strict=True)]
    return {
        "id": f"confusion-{next(numbers)}",
        "title": matrix.title,
        "labels": matrix.labels,
        "rows": [
            {
                "label": label,
                "counts": [(text(count), _shade(count, sum(counts))) for count in counts],
                "total": text(sum(counts)),
                "recall": share(counts[place], sum(counts)),
            }
            for place, (label, counts) in enumerate(zip(matrix.labels, matrix.counts, strict=True))
        ],
        "totals": [text(total) for total in totals],
        "precisions": [share(matrix.counts[place][place], total) for place, total in enumerate(totals)],
    }


def _shade(count: float, total: float) -> int:
    """0 (none) to SHADES (all)."""
    share = count / total if total else 0.0
    return 0 if share <= 0.005 else min(SHADES, 1 + int(share * SHADES))


def _turned_view(turned: Sequence[Turned], numbers: Numbers) -> list[View]:
    """The relations that were turned right, and those turned wrong; none where nothing was turned."""
    lists = []
    for title, right in (("Turned right", True), ("Turned wrong", False)) if turned else ():
        views = [_relation_view(one) for one in turned if one.right is right]
        parts = {"shown": views[:SHOWN], "more": views[SHOWN:]}
        lists.append({"id": f"turned-{next(numbers)}", "title": f"{title}: {len(views)}", **parts})
    return lists


def _relation_view(turned: Turned) -> View:
    """``unmarked`` are shared entities whose mentions are not marked in both arguments."""
    numbered = list(enumerate(turned.entities, start=1))
    marked = [
        mark_mentions(text, [(number, words) for number, sides in numbered for words in sides[side]])
        for side, text in enumerate((turned.first, turned.second))
    ]
    unmarked = [
        " = ".join(dict.fromkeys((*sides[0], *sides[1])))
        for number, sides in numbered
        if not all(number in found for _, found in marked)
    ]
    return {"turned": turned, "arguments": [text for text, _ in marked], "unmarked": unmarked}


def mark_mentions(text: str, mentions: Iterable[tuple[int, str]]) -> tuple[Markup, set[int]]:
    """The text as HTML with mentions underlined, and the numbers of the entities that are marked in it.

    ``mentions`` are numbers of entities with their words; the same words a second time are looked for after
    the first. Of two that overlap, the first is marked, or the longer one.
    """
    spans: dict[tuple[int, int], int] = {}
    for number, mention in mentions:
        # Tokens may be joined in the text ("Ann's") and separate in the mention ("Ann 's").
        words = r"\s*".join(map(re.escape, mention.split()))
        found = re.finditer(rf"(?<!\w){words}(?!\w)", text) if words else ()
        if span := next((match.span() for match in found if match.span() not in spans), None):
            spans[span] = number
    pieces: list[Markup] = []
    marked: set[int] = set()
    place = 0
    for (start, end), number in sorted(spans.items(), key=lambda span: (span[0][0], -span[0][1])):
        if start >= place:
            pieces.append(escape(text[place:start]))
            pieces.append(Markup("<mark>{}<sup>{}</sup></mark>").format(text[start:end], number))
            marked.add(number)
            place = end
    return Markup("").join([*pieces, escape(text[place:])]), marked


def _figure_view(figure: Figure, numbers: Numbers) -> View:
    """The drawing with a description, and its figures as a table."""
    drawing = b64encode(svg(figure, background=False).encode()).decode()
    return {
        "kind": FIGURE_KINDS[type(figure)],
        "source": f"data:image/svg+xml;base64,{drawing}",
        "title": figure.title,
        "description": _description(figure),
        "table": table_view(_points_table(figure), numbers) if isinstance(figure, LineFigure) else None,
    }


def _description(figure: Figure) -> str:
    """What a figure shows, for screen readers."""
    if isinstance(figure, MapFigure):
        groups = dict.fromkeys(word.group for word in figure.words if word.group)
        listed = (
            f"{group}: {', '.join(word.word for word in figure.words if word.group == group)}"
            for group in groups
        )
        return f"A map of {len(figure.words)} words. Marked are {'; '.join(listed) or 'none'}."
    if isinstance(figure, DotFigure):
        rows = "; ".join(f"{name}: {cell_text(one)}" for name, one in figure.rows)
        return f"{figure.title}. {figure.x_label}. {rows}."
    lines = [
        f"{series.name}: {', '.join(f'{percent(one.mean)} at {x:g}' for x, one in series.points)}."
        for series in figure.series
    ]
    return f"{figure.y_label} over {figure.x_label}. {' '.join(lines)}"


def _points_table(figure: LineFigure) -> Table:
    """A row for each x, a column for each series."""
    places = sorted({x for series in figure.series for x, _ in series.points})
    by_place = [dict(series.points) for series in figure.series]
    return Table(
        name=f"{figure.name}-points",
        title=f"The same as a table: {figure.y_label}",
        columns=(figure.x_label, *(series.name for series in figure.series)),
        rows=tuple((f"{place:g}", *(points.get(place) for points in by_place)) for place in places),
    )
