"""Relations as rows of a CSV table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from disco2.inference.prediction import Prediction, Span

COLUMNS = (
    "document",
    "index",
    "kind",
    "sense",
    "probability",
    "presence",
    "connective",
    "connective_spans",
    "arg1",
    "arg1_spans",
    "arg2",
    "arg2_spans",
)


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Rows as lines of CSV (RFC 4180, but with line feeds)."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def csv_row(document: str, prediction: Prediction) -> list[object]:
    """The cells of a relation; spans are written ``start-end``, parted by commas where there are several."""
    stated = prediction.connective_span
    return [
        document,
        prediction.index,
        prediction.kind,
        prediction.sense,
        prediction.probability,
        prediction.presence,
        prediction.connective,
        "" if stated is None else _places(stated),
        prediction.arg1.text,
        _places(prediction.arg1),
        prediction.arg2.text,
        _places(prediction.arg2),
    ]


def _places(span: Span) -> str:
    return ",".join(f"{part.start}-{part.end}" for part in span.pieces)
