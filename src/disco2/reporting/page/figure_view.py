"""A figure as the page's template needs it: the drawing itself, what it shows in words, and its figures."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from disco2.reporting.figures import svg
from disco2.reporting.findings import Figure, LineFigure, MapFigure, Series, Table
from disco2.reporting.page.ids import Ids
from disco2.reporting.page.inline_svg import inline_svg
from disco2.reporting.page.table_view import TableView, table_view
from disco2.reporting.tables.cells import percent


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
    return FigureView(chosen, "lines", drawing, figure.title, table_view(_points(figure), ids))


def description(figure: Figure) -> str:
    """What a figure shows, for those who can't see it."""
    if isinstance(figure, MapFigure):
        groups: dict[str, list[str]] = {}
        for word in figure.words:
            if word.group:
                groups.setdefault(word.group, []).append(word.word)
        listed = (f"{group}: {', '.join(words)}" for group, words in groups.items())
        return f"A map of {len(figure.words)} words. Marked are {'; '.join(listed) or 'none'}."
    return f"{figure.y_label} over {figure.x_label}. " + " ".join(_told(series) for series in figure.series)


def _told(series: Series) -> str:
    published = bool(series.points) and all(measure.published for _, measure in series.points)
    points = ", ".join(f"{percent(measure.mean)} at {x:g}" for x, measure in series.points)
    return f"{series.name}{' (published)' if published else ''}: {points}."


def _points(figure: LineFigure) -> Table:
    """A row for each x, a column for each series."""
    places = sorted({x for series in figure.series for x, _ in series.points})
    by_place = [dict(series.points) for series in figure.series]
    return Table(
        name=f"{figure.name}-points",
        title=f"The same as a table: {figure.y_label}",
        columns=(figure.x_label, *(series.name for series in figure.series)),
        rows=tuple((f"{place:g}", *(points.get(place) for points in by_place)) for place in places),
    )
