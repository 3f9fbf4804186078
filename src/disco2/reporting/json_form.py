"""Findings as JSON, for machines."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from disco2.reporting.findings import Cell, Difference, Findings, LineFigure, Measure, PValue

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
            asdict(table) | {"rows": [[_cell(cell) for cell in row] for row in table.rows]}
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


def _cell(cell: Cell) -> Any:
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
