"""Findings -> files: data, tables, figures, and one self-contained HTML page without scripts.

<folder>/findings/<name>.json      everything, for programs
<folder>/tables/<table>.md .csv .tex
<folder>/figures/<figure>.png .svg

Each file is written beside its place and renamed into it. Everything that the templates insert is escaped.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup, escape

from disco2.errors import InputError
from disco2.files import is_file_name, write_text
from disco2.reporting.figures import svg, write_figure
from disco2.reporting.findings import (
    ABSENT,
    PUBLISHED,
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
    Series,
    Table,
    Turned,
    cell_text,
    csv,
    difference_text,
    is_published,
    is_text_column,
    latex,
    markdown,
    measure_text,
    percent,
)
from disco2.templates import filled
from disco2.version import VERSION

TEMPLATE = Path(__file__).parent / "templates" / "report.html"
FORMATS = {".md": markdown, ".csv": csv, ".tex": latex}
CELL_KINDS = {Measure: "measure", Difference: "difference", PValue: "p"}
FIGURE_KINDS = {LineFigure: "lines", DotFigure: "dots", MapFigure: "map"}
SHADES = 8  # of a confusion matrix, as in the template's style
SHOWN = 10  # turned relations of each list; the others can be unfolded

View = dict[str, Any]  # what a template gets


def write_findings(findings: Findings, folder: Path) -> list[Path]:
    """Write data, tables and figures, and return the files.

    Figures, which need the extra ``plots``, come last: without it, the rest is written all the same.
    """
    for named in (findings, *findings.tables, *findings.figures):
        if not is_file_name(named.name):
            raise InputError(f"{named.name!r} can't be the name of a file.", hint="Choose a plain name.")
    data = folder / "findings" / f"{findings.name}.json"
    content = json.dumps(findings_content(findings), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(data, [content + "\n"])
    written = [data]
    for table in findings.tables:
        for ending, form in FORMATS.items():
            path = folder / "tables" / f"{table.name}{ending}"
            write_text(path, [form(table)])
            written.append(path)
    for figure in findings.figures:
        written += write_figure(figure, folder / "figures")
    return written


def findings_content(findings: Findings) -> dict[str, Any]:
    """Findings as JSON: figures in tables say of which kind they are; what is not a number is null."""
    content = {
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
    found: dict[str, Any] = _finite(content)
    return found


def _json_cell(cell: Cell) -> Any:
    if isinstance(cell, Measure | Difference | PValue):
        return {"kind": CELL_KINDS[type(cell)]} | asdict(cell)
    return cell


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


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
    ids = Ids()
    return filled(
        TEMPLATE,
        title=title,
        facts=facts,
        summary=_section(summary, ids) if summary else None,
        sections=[_section(found, ids) for found in findings],
        settings=settings,
        versions=versions,
        version=VERSION,
    )


def _section(findings: Findings, ids: Ids) -> View:
    return {
        "id": ids.fresh(findings.name),
        "findings": findings,
        "tables": [table_view(table, ids) for table in findings.tables],
        "figures": [_figure_view(figure, ids) for figure in findings.figures],
        "confusions": [confusion_view(matrix, ids) for matrix in findings.confusions],
        "turned": _turned_view(findings.turned, ids),
    }


class Ids:
    """Makes ids of names; a name that comes again gets a number."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def fresh(self, name: str) -> str:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "part"
        plain = plain if plain[0].isalpha() else f"part-{plain}"
        chosen, number = plain, 1
        while chosen in self._used:
            number += 1
            chosen = f"{plain}-{number}"
        self._used.add(chosen)
        return chosen


def table_view(table: Table, ids: Ids) -> View:
    """A column or a row of published figures alone is tagged in its heading, others in their cells."""
    places = range(len(table.columns))
    styles = ["words" if is_text_column(table, place) else "number" for place in places]
    theirs = [is_published(table.column(place)) for place in places]
    columns = [
        {
            "heading": heading,
            "style": style if place else "",
            "tag": PUBLISHED if published and PUBLISHED not in heading.lower() else "",
        }
        for place, heading, style, published in zip(places, table.columns, styles, theirs, strict=True)
    ]
    rows = []
    for heading, *cells in table.rows:
        # Figures in a tagged column do not make the row a published one.
        whole_row = is_published([cell for cell, column in zip(cells, theirs[1:], strict=True) if not column])
        views = [
            _cell_view(cell, style=style, tagged=not (column or whole_row))
            for cell, style, column in zip(cells, styles[1:], theirs[1:], strict=True)
        ]
        rows.append({"heading": cell_text(heading), "tag": PUBLISHED if whole_row else "", "cells": views})
    return {
        "id": ids.fresh(f"table-{table.name}"),
        "title": table.title,
        "columns": columns,
        "rows": rows,
        "notes": table.notes,
    }


def _cell_view(cell: Cell, *, style: str, tagged: bool) -> View:
    """``small`` is the interval below the text."""
    view = {"text": "", "style": style, "small": "", "marks": "", "tag": ""}
    interval: tuple[str, str] | None = None
    if isinstance(cell, Difference):
        view["text"], interval = difference_text(cell)
    elif isinstance(cell, Measure):
        text = measure_text(cell)
        interval = text.interval
        view["text"] = f"{text.mean} ± {text.deviation}" if text.deviation else text.mean
        view["marks"] = cell.marks
        if cell.published:
            view |= {"style": f"{style} published", "tag": PUBLISHED if tagged else ""}
    else:
        view["text"] = cell_text(cell)
    return view | {"small": f"{interval[0]} to {interval[1]}" if interval else ""}


def confusion_view(matrix: ConfusionMatrix, ids: Ids) -> View:
    """Counts, shaded by their share of the gold label; recall and precision of each label."""
    whole = all(count == round(count) for counts in matrix.counts for count in counts)

    def text(count: float) -> str:
        """Means over seeds need not be whole: then all but the zeros have one decimal."""
        return f"{count:,.0f}" if whole or not count else f"{count:,.1f}"

    def share(part: float, total: float) -> str:
        return percent(part / total, decimals=0) if total else ABSENT

    rows = [
        {
            "label": label,
            "counts": [
                {"text": text(count), "shade": _shade(count, sum(counts)), "right": place == column}
                for column, count in enumerate(counts)
            ],
            "total": text(sum(counts)),
            "recall": share(counts[place], sum(counts)),
        }
        for place, (label, counts) in enumerate(zip(matrix.labels, matrix.counts, strict=True))
    ]
    totals = [sum(column) for column in zip(*matrix.counts, strict=True)]
    return {
        "id": ids.fresh("confusion"),
        "title": matrix.title,
        "labels": matrix.labels,
        "rows": rows,
        "totals": [text(total) for total in totals],
        "precisions": [share(matrix.counts[place][place], total) for place, total in enumerate(totals)],
    }


def _shade(count: float, total: float) -> int:
    """0 (none) to SHADES (all)."""
    share = count / total if total else 0.0
    return 0 if share <= 0.005 else min(SHADES, 1 + int(share * SHADES))


def _turned_view(turned: Sequence[Turned], ids: Ids) -> list[View]:
    """The relations that were turned right, and those turned wrong; none where nothing was turned."""
    lists = []
    for title, right in (("Turned right", True), ("Turned wrong", False)) if turned else ():
        views = [_relation_view(one) for one in turned if one.right is right]
        lists.append(
            {
                "id": ids.fresh(title),
                "title": f"{title}: {len(views)}",
                "shown": views[:SHOWN],
                "more": views[SHOWN:],
            }
        )
    return lists


def _relation_view(turned: Turned) -> View:
    """``unmarked`` are shared entities whose mentions were not found in the text."""
    numbered = list(enumerate(turned.entities, start=1))
    first, in_first = mark_mentions(turned.first, [(n, text) for n, sides in numbered for text in sides[0]])
    second, in_second = mark_mentions(
        turned.second, [(n, text) for n, sides in numbered for text in sides[1]]
    )
    return {
        "relation": turned.relation,
        "first": first,
        "second": second,
        "gold": " or ".join(turned.gold),
        "before": turned.before,
        "after": turned.after,
        "seeds": f"{turned.seeds[0]} of {turned.seeds[1]} seeds" if turned.seeds else "",
        "unmarked": [
            " = ".join(dict.fromkeys((*sides[0], *sides[1])))
            for number, sides in numbered
            if number not in in_first & in_second
        ],
    }


Span = tuple[int, int, int]  # start, end, the entity's number


def mark_mentions(text: str, mentions: Iterable[tuple[int, str]]) -> tuple[Markup, set[int]]:
    """The text as HTML with mentions underlined, and the numbers of the entities that were found in it.

    ``mentions`` are numbers of entities with their words. A mention may lie within another one; of two that
    overlap otherwise, the first is marked.
    """
    spans: list[Span] = []
    for span in sorted(_mention_spans(text, mentions), key=lambda span: (span[0], -span[1], span[2])):
        if not any(other[0] < span[0] < other[1] < span[1] for other in spans):
            spans.append(span)
    pieces: list[Markup] = []
    open_spans: list[Span] = []
    place = 0
    for span in [*spans, (len(text), len(text), 0)]:
        while open_spans and open_spans[-1][1] <= span[0]:
            _, end, number = open_spans.pop()
            pieces += [escape(text[place:end]), Markup("<sup>{}</sup></mark>").format(number)]
            place = end
        pieces.append(escape(text[place : span[0]]))
        place = span[0]
        if span[2]:
            pieces.append(Markup("<mark>"))
            open_spans.append(span)
    return Markup("").join(pieces), {number for _, _, number in spans}


def _mention_spans(text: str, mentions: Iterable[tuple[int, str]]) -> list[Span]:
    """Where mentions are; the same words a second time are looked for after the first."""
    spans: dict[tuple[int, int], int] = {}
    for number, mention in mentions:
        # Tokens may be joined in the text ("Ann's") and separate in the mention ("Ann 's").
        words = r"\s*".join(map(re.escape, mention.split()))
        found = re.finditer(rf"(?<!\w){words}(?!\w)", text) if words else ()
        if span := next((match.span() for match in found if match.span() not in spans), None):
            spans[span] = number
    return [(*span, number) for span, number in spans.items()]


def _figure_view(figure: Figure, ids: Ids) -> View:
    """The drawing with a title and a description, and its figures as a table."""
    chosen = ids.fresh(f"figure-{figure.name}")
    drawing = _inline_svg(
        svg(figure, background=False), prefix=chosen, title=figure.title, description=_description(figure)
    )
    return {
        "kind": FIGURE_KINDS[type(figure)],
        "drawing": drawing,
        "title": figure.title,
        "table": table_view(_points_table(figure), ids) if isinstance(figure, LineFigure) else None,
    }


def _description(figure: Figure) -> str:
    """What a figure shows, for screen readers."""
    if isinstance(figure, MapFigure):
        groups: dict[str, list[str]] = {}
        for word in figure.words:
            if word.group:
                groups.setdefault(word.group, []).append(word.word)
        listed = (f"{group}: {', '.join(words)}" for group, words in groups.items())
        return f"A map of {len(figure.words)} words. Marked are {'; '.join(listed) or 'none'}."
    if isinstance(figure, DotFigure):
        return (
            f"{figure.x_label}. " + "; ".join(f"{name}: {cell_text(one)}" for name, one in figure.rows) + "."
        )
    return f"{figure.y_label} over {figure.x_label}. " + " ".join(map(_series_text, figure.series))


def _series_text(series: Series) -> str:
    published = is_published([measure for _, measure in series.points])
    points = ", ".join(f"{percent(measure.mean)} at {x:g}" for x, measure in series.points)
    return f"{series.name}{' (published)' if published else ''}: {points}."


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


def _inline_svg(document: str, *, prefix: str, title: str, description: str) -> Markup:
    """An SVG document as an element of a page: ids with a prefix, no namespaces, title and description."""
    root = ElementTree.fromstring(document)  # noqa: S314  not from outside: we have just drawn it
    for element in list(root.iter()):
        # The style is the page's: here it would apply to the whole page.
        for child in [child for child in element if _local_name(child.tag) in ("metadata", "style")]:
            element.remove(child)
    for element in root.iter():
        element.tag = _local_name(element.tag)
        attributes = {_local_name(name): value for name, value in element.attrib.items()}
        element.attrib.clear()
        for name, value in attributes.items():
            if name == "id":
                value = f"{prefix}_{value}"
            elif name == "href" and value.startswith("#"):
                value = f"#{prefix}_{value[1:]}"
            element.attrib[name] = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}_\1)", value)
        # Matplotlib breaks lines between its elements.
        if element.tag != "text" and element.text and not element.text.strip():
            element.text = None
        element.tail = None
    for name in ("width", "height", "version"):  # the page sets the width; the viewBox keeps the shape
        root.attrib.pop(name, None)
    root.attrib |= {"role": "img", "aria-labelledby": f"{prefix}_title {prefix}_desc"}
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        words = ElementTree.Element(tag, {"id": f"{prefix}_{tag}"})
        words.text = text
        root.insert(place, words)
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704  the serialiser escapes


def _local_name(name: str) -> str:
    """A name without its namespace: ``xlink:href`` is ``href``."""
    return name.rpartition("}")[2]
