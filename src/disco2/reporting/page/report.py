"""Findings -> the page. What the templates show is made ready here; everything they insert is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from disco2.reporting.findings import Findings
from disco2.reporting.page.confusion_view import confusion_view
from disco2.reporting.page.figure_view import figure_view
from disco2.reporting.page.ids import Ids
from disco2.reporting.page.table_view import table_view
from disco2.reporting.page.turned_view import turned_view
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
