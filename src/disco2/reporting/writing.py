"""Findings -> files. Each is written beside its place and renamed into it, so that nobody sees half of one.

<folder>/findings/<name>.json      all of it, for machines
<folder>/tables/<table>.md .csv .tex
<folder>/figures/<figure>.png .svg
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from disco2.errors import InputError
from disco2.files import is_file_name, write_text
from disco2.reporting.figures import write_figure
from disco2.reporting.findings import Cell, Difference, Findings, LineFigure, Measure, PValue
from disco2.reporting.page import report_page
from disco2.reporting.tables import csv, latex, markdown

FORMATS = {".md": markdown, ".csv": csv, ".tex": latex}


def write_findings(findings: Findings, folder: Path) -> list[Path]:
    """Write data, tables and figures, and say which files they are.

    Figures, which need the extra ``plots``, come last: without it, the rest is on the disk all the same.
    """
    for named in (findings, *findings.tables, *findings.figures):
        if not is_file_name(named.name):
            raise InputError(f"{named.name!r} can't be the name of a file.", hint="Give it a plain name.")
    data = folder / "findings" / f"{findings.name}.json"
    write_text(data, [findings_json(findings)])
    written = [data]
    for table in findings.tables:
        for ending, form in FORMATS.items():
            path = folder / "tables" / f"{table.name}{ending}"
            write_text(path, [form(table)])
            written.append(path)
    for figure in findings.figures:
        written += write_figure(figure, folder / "figures")
    return written


def write_page(
    path: Path,
    findings: Sequence[Findings],
    *,
    title: str,
    settings: str,
    versions: Mapping[str, str],
    facts: Mapping[str, str],
) -> None:
    """Write the one page that has it all; see ``report_page``."""
    page = report_page(findings, title=title, settings=settings, versions=versions, facts=facts)
    write_text(path, [page])


KINDS = {Measure: "measure", Difference: "difference", PValue: "p"}


def findings_json(findings: Findings) -> str:
    """``findings_content`` as text."""
    return json.dumps(findings_content(findings), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def findings_content(findings: Findings) -> dict[str, Any]:
    """One object with all that was found. Figures in tables say of which kind they are."""
    content = {
        "name": findings.name,
        "title": findings.title,
        "words": findings.words,
        "data": findings.data,
        "tables": [
            asdict(table) | {"rows": [[_json_cell(cell) for cell in row] for row in table.rows]}
            for table in findings.tables
        ],
        "figures": [
            {"kind": "lines" if isinstance(figure, LineFigure) else "map"} | asdict(figure)
            for figure in findings.figures
        ],
        "confusions": [asdict(matrix) for matrix in findings.confusions],
        "turned": [asdict(relation) for relation in findings.turned],
    }
    found: dict[str, Any] = _finite(content)
    return found


def _json_cell(cell: Cell) -> Any:
    if isinstance(cell, Measure | Difference | PValue):
        return {"kind": KINDS[type(cell)]} | asdict(cell)
    return cell


def _finite(value: Any) -> Any:
    """JSON has no word for what is not a number: null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
