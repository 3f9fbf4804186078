"""Findings -> files: data, tables, figures, and one self-contained HTML page without scripts.

<folder>/findings/<name>.json      everything, for programs
<folder>/tables/<table>.md .csv .tex
<folder>/figures/<figure>.png .svg

Each file is written beside its place and renamed into it. Everything that the template inserts is escaped.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from disco2.files import filled, write_bytes, write_text
from disco2.reporting import findings as forms
from disco2.reporting.figures import png, svg
from disco2.reporting.findings import Figure, Findings, LineFigure, MapFigure, percent
from disco2.version import VERSION

TEMPLATE = Path(__file__).parent / "templates" / "report.html"
FORMATS = {".md": forms.markdown, ".csv": forms.csv, ".tex": forms.latex}
KINDS = {forms.Measure: "measure", forms.Difference: "difference", forms.PValue: "p"}
KINDS |= {LineFigure: "lines", MapFigure: "map"}


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
    """Findings as JSON: figures, and measures in tables, say of which kind they are."""
    tables = [
        asdict(table) | {"rows": [[_with_kind(cell) for cell in row] for row in table.rows]}
        for table in findings.tables
    ]
    return {
        "name": findings.name,
        "title": findings.title,
        "words": findings.words,
        "data": findings.data,
        "tables": tables,
        "figures": list(map(_with_kind, findings.figures)),
    }


def _with_kind(one: forms.Cell | Figure) -> Any:
    if one is None or isinstance(one, str | int):
        return one
    return {"kind": KINDS[type(one)]} | asdict(one)


def report_page(
    findings: Sequence[Findings],
    *,
    title: str,
    settings: str,
    versions: Mapping[str, str],
    facts: Mapping[str, str],
) -> str:
    """The HTML of a report, with a section for each of the findings.

    ``settings`` is a TOML file; ``versions`` are those of the packages that took part; ``facts`` are corpus,
    split, seeds, when, how long. Figures need the extra ``plots``.
    """
    return filled(
        TEMPLATE,
        title=title,
        facts=facts,
        findings=findings,
        settings=settings,
        versions=versions,
        version=VERSION,
        cell_text=forms.cell_text,
        kind=lambda figure: KINDS[type(figure)],
        source=_source,
        description=_description,
    )


def _source(figure: Figure) -> str:
    drawing = b64encode(svg(figure, background=False).encode()).decode()
    return f"data:image/svg+xml;base64,{drawing}"


def _description(figure: Figure) -> str:
    """What a figure shows, for screen readers."""
    if isinstance(figure, LineFigure):
        lines = [
            f"{series.name}: {', '.join(f'{percent(one.mean)} at {x:g}' for x, one in series.points)}."
            for series in figure.series
        ]
        return f"{figure.y_label} over {figure.x_label}. {' '.join(lines)}"
    groups: dict[str, list[str]] = {}
    for word in figure.words:
        groups.setdefault(word.group, []).append(word.word)
    listed = "; ".join(f"{group}: {', '.join(words)}" for group, words in groups.items() if group)
    return f"A map of {len(figure.words)} words. Marked are {listed or 'none'}."
