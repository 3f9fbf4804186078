"""One self-contained HTML page with all that experiments found: no script, nothing from elsewhere.

What the templates show is made ready here; everything they insert is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from markupsafe import Markup, escape

from disco2.reporting.figures import svg
from disco2.reporting.findings import (
    Cell,
    ConfusionMatrix,
    Difference,
    Figure,
    Findings,
    LineFigure,
    MapFigure,
    Measure,
    Series,
    Table,
    Turned,
)
from disco2.reporting.tables import (
    ABSENT,
    PUBLISHED,
    cell_text,
    difference_text,
    is_published,
    is_published_column,
    is_text_column,
    measure_text,
    percent,
)
from disco2.templates import filled
from disco2.version import VERSION

TEMPLATE = Path(__file__).parent / "templates" / "report.html"


def report_page(
    findings: Sequence[Findings],
    *,
    title: str,
    settings: str,
    versions: Mapping[str, str],
    facts: Mapping[str, str],
) -> str:
    """The HTML of a report.

    ``settings`` is a TOML file; ``versions`` are those of the packages that had a part in the results;
    ``facts`` are what a reader must know first: corpus, split, seeds, when, how long. Figures need the extra
    ``plots``.
    """
    ids = Ids()
    return filled(
        TEMPLATE,
        title=title,
        facts=facts,
        sections=[_section(found, ids) for found in findings],
        settings=settings,
        versions=versions,
        version=VERSION,
    )


def _section(findings: Findings, ids: Ids) -> dict[str, object]:
    """What the template of a section needs; ``findings`` itself brings title and words."""
    return {
        "id": ids.fresh(findings.name),
        "findings": findings,
        "tables": [table_view(table, ids) for table in findings.tables],
        "figures": [figure_view(figure, ids) for figure in findings.figures],
        "confusions": [confusion_view(matrix, ids) for matrix in findings.confusions],
        "turned": turned_view(findings.turned, ids),
    }


class Ids:
    """Hands out ids made of names; a name that comes again gets a number."""

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


@dataclass(frozen=True, slots=True)
class CellView:
    """``small`` stands below ``text``: the interval. ``tag`` is a word of its own: published."""

    text: str
    style: str
    small: str = ""
    marks: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class ColumnView:
    heading: str
    style: str
    tag: str


@dataclass(frozen=True, slots=True)
class RowView:
    heading: str
    tag: str
    cells: list[CellView]


@dataclass(frozen=True, slots=True)
class TableView:
    id: str
    title: str
    columns: list[ColumnView]
    rows: list[RowView]
    notes: tuple[str, ...]


def table_view(table: Table, ids: Ids) -> TableView:
    """A column or a row of published figures alone is marked in its heading, others are in their cells."""
    places = range(len(table.columns))
    styles = ["words" if is_text_column(table, place) else "number" for place in places]
    theirs = [is_published_column(table, place) for place in places]
    columns = [
        ColumnView(
            heading=table.columns[place],
            style=styles[place] if place else "",
            tag=PUBLISHED if theirs[place] and PUBLISHED not in table.columns[place].lower() else "",
        )
        for place in places
    ]
    rows = []
    for heading, *cells in table.rows:
        # Figures under a heading that is marked do not make the row one of theirs.
        whole_row = is_published([cell for cell, column in zip(cells, theirs[1:], strict=True) if not column])
        views = [
            _cell_view(cell, style=style, tagged=not (column or whole_row))
            for cell, style, column in zip(cells, styles[1:], theirs[1:], strict=True)
        ]
        rows.append(RowView(cell_text(heading), PUBLISHED if whole_row else "", views))
    return TableView(ids.fresh(f"table-{table.name}"), table.title, columns, rows, table.notes)


def _cell_view(cell: Cell, *, style: str, tagged: bool) -> CellView:
    if isinstance(cell, Difference):
        difference, bounds = difference_text(cell)
        return CellView(difference, style, small=f"{bounds[0]} to {bounds[1]}" if bounds else "")
    if not isinstance(cell, Measure):
        return CellView(cell_text(cell), style)
    text = measure_text(cell)
    return CellView(
        text=f"{text.mean} ± {text.deviation}" if text.deviation else text.mean,
        style=f"{style} published" if cell.published else style,
        small=f"{text.interval[0]} to {text.interval[1]}" if text.interval else "",
        marks=cell.marks,
        tag=PUBLISHED if cell.published and tagged else "",
    )


# Confusion matrices: counts, shaded by their share of the gold label.


SHADES = 8  # the template's style has as many, beside none


@dataclass(frozen=True, slots=True)
class CountView:
    text: str
    shade: int
    right: bool


@dataclass(frozen=True, slots=True)
class GoldView:
    """A row: how often a gold label was predicted as each, how many there are, the share that was found."""

    label: str
    counts: list[CountView]
    total: str
    recall: str


@dataclass(frozen=True, slots=True)
class ConfusionView:
    id: str
    title: str
    labels: tuple[str, ...]
    rows: list[GoldView]
    totals: list[str]  # predictions of each label
    precisions: list[str]


def confusion_view(matrix: ConfusionMatrix, ids: Ids) -> ConfusionView:
    whole = all(count == round(count) for counts in matrix.counts for count in counts)
    rows = [
        GoldView(
            label=label,
            counts=[
                CountView(
                    _count_text(count, whole=whole), _shade(_share(count, sum(counts))), place == column
                )
                for column, count in enumerate(counts)
            ],
            total=_count_text(sum(counts), whole=whole),
            recall=_share_text(counts[place], sum(counts)),
        )
        for place, (label, counts) in enumerate(zip(matrix.labels, matrix.counts, strict=True))
    ]
    totals = [sum(column) for column in zip(*matrix.counts, strict=True)]
    return ConfusionView(
        id=ids.fresh("confusion"),
        title=matrix.title,
        labels=matrix.labels,
        rows=rows,
        totals=[_count_text(total, whole=whole) for total in totals],
        precisions=[_share_text(matrix.counts[place][place], total) for place, total in enumerate(totals)],
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _share_text(part: float, whole: float) -> str:
    return percent(part / whole, decimals=0) if whole else ABSENT


def _shade(share: float) -> int:
    """0 (none) to SHADES (all); what is more than nothing but little has the first shade."""
    return 0 if share <= 0.005 else min(SHADES, 1 + int(share * SHADES))


def _count_text(count: float, *, whole: bool) -> str:
    """Means over seeds need not be whole: then all but the zeros have one decimal."""
    return f"{count:,.0f}" if whole or not count else f"{count:,.1f}"


# The relations that entities turned right and wrong.


SHOWN = 10  # of each list; the others can be unfolded


@dataclass(frozen=True, slots=True)
class TurnedView:
    """``unmarked`` are shared entities whose mentions could not be found in the text."""

    relation: str
    first: Markup
    second: Markup
    gold: str
    before: str
    after: str
    seeds: str
    unmarked: list[str]


@dataclass(frozen=True, slots=True)
class TurnedList:
    id: str
    title: str
    shown: list[TurnedView]
    more: list[TurnedView]


def turned_view(turned: Sequence[Turned], ids: Ids) -> list[TurnedList]:
    """Two lists, right before wrong; none where nothing was turned."""
    lists = []
    for title, right in (("Turned right", True), ("Turned wrong", False)):
        views = [_turned_view(one) for one in turned if one.right is right]
        if turned:
            lists.append(TurnedList(ids.fresh(title), f"{title}: {len(views)}", views[:SHOWN], views[SHOWN:]))
    return lists


def _turned_view(turned: Turned) -> TurnedView:
    numbered = list(enumerate(turned.entities, start=1))
    first, in_first = marked(
        turned.first, [(number, text) for number, sides in numbered for text in sides[0]]
    )
    second, in_second = marked(
        turned.second, [(number, text) for number, sides in numbered for text in sides[1]]
    )
    return TurnedView(
        relation=turned.relation,
        first=first,
        second=second,
        gold=" or ".join(turned.gold),
        before=turned.before,
        after=turned.after,
        seeds=f"{turned.seeds[0]} of {turned.seeds[1]} seeds" if turned.seeds else "",
        unmarked=[
            " = ".join(dict.fromkeys((*sides[0], *sides[1])))
            for number, sides in numbered
            if number not in in_first & in_second
        ],
    )


# The text of an argument, mentions of shared entities marked: underlined, with the entity's number.


Span = tuple[int, int, int]  # start, end, the entity's number


def marked(text: str, mentions: Iterable[tuple[int, str]]) -> tuple[Markup, set[int]]:
    """The text as HTML, and the numbers of the entities that were found in it.

    ``mentions`` are numbers of entities with their words. A mention may lie within another one; of two that
    overlap otherwise, the first is marked.
    """
    spans = _nested_spans(_mention_spans(text, mentions))
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
    """Where mentions stand; the same words a second time are looked for behind the first."""
    spans: list[Span] = []
    taken: set[tuple[int, int]] = set()
    for number, mention in mentions:
        words = mention.split()
        if not words:
            continue
        # Tokens may be joined in the text ("Ann's") and apart in the mention ("Ann 's").
        pattern = r"(?<!\w)" + r"\s*".join(map(re.escape, words)) + r"(?!\w)"
        for match in re.finditer(pattern, text):
            if match.span() not in taken:
                taken.add(match.span())
                spans.append((*match.span(), number))
                break
    return spans


def _nested_spans(spans: list[Span]) -> list[Span]:
    """In the order of the text, the outer ones first, without those that cross another one."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        if not any(other[0] < span[0] < other[1] < span[1] for other in kept):
            kept.append(span)
    return kept


# Figures: the drawing itself, what it shows in words, and its figures.


@dataclass(frozen=True, slots=True)
class FigureView:
    id: str
    kind: str
    drawing: Markup
    title: str
    table: TableView | None  # the same figures, to be read


def figure_view(figure: Figure, ids: Ids) -> FigureView:
    """Its title stands below it; in the drawing, it is what a screen reader says first."""
    chosen = ids.fresh(f"figure-{figure.name}")
    drawing = inline_svg(
        svg(figure, background=False), prefix=chosen, title=figure.title, description=description(figure)
    )
    if isinstance(figure, MapFigure):
        return FigureView(chosen, "map", drawing, figure.title, None)
    return FigureView(chosen, "lines", drawing, figure.title, table_view(_points_table(figure), ids))


def description(figure: Figure) -> str:
    """What a figure shows, for those who can't see it."""
    if isinstance(figure, MapFigure):
        groups: dict[str, list[str]] = {}
        for word in figure.words:
            if word.group:
                groups.setdefault(word.group, []).append(word.word)
        listed = (f"{group}: {', '.join(words)}" for group, words in groups.items())
        return f"A map of {len(figure.words)} words. Marked are {'; '.join(listed) or 'none'}."
    return f"{figure.y_label} over {figure.x_label}. " + " ".join(
        _series_text(series) for series in figure.series
    )


def _series_text(series: Series) -> str:
    published = bool(series.points) and all(measure.published for _, measure in series.points)
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


# An SVG document of ours -> an element of an HTML page.
#
# Several drawings on one page must not share ids, and a page that names nothing outside itself needs no XML
# namespaces: HTML knows SVG without them.


DROPPED = {"metadata", "style"}  # the style is the page's: here it would hold for the whole page
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline_svg(document: str, *, prefix: str, title: str, description: str) -> Markup:
    """The drawing with ``prefix`` before all its ids, and with words for those who can't see it."""
    root = ElementTree.fromstring(document)  # noqa: S314  not from outside: we have just drawn it
    for element in list(root.iter()):
        for child in [child for child in element if _local_name(child.tag) in DROPPED]:
            element.remove(child)
    for element in root.iter():
        element.tag = _local_name(element.tag)
        attributes = {
            _local_name(name): _with_prefix(_local_name(name), value, prefix)
            for name, value in element.attrib.items()
        }
        element.attrib.clear()
        element.attrib.update(attributes)
        # Matplotlib breaks lines between its elements; they are not to be seen.
        if element.tag != "text" and element.text and not element.text.strip():
            element.text = None
        element.tail = None
    for name in ("width", "height", "version"):  # the page says how wide it is; the viewBox keeps its shape
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


def _with_prefix(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}_{value}"
    if name == "href" and value.startswith("#"):
        return f"#{prefix}_{value[1:]}"
    return _REFERENCE.sub(lambda found: f"url(#{prefix}_{found[1]})", value)
