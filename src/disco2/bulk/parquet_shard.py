"""A shard in Parquet: one row for each relation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from disco2.bulk.answers import Answer
from disco2.errors import MissingExtraError
from disco2.files import write_bytes

ROWS_AT_ONCE = 5_000  # a row group: bounds what is held in memory before it is packed


def pyarrow() -> Any:
    """The package; MissingExtraError where it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "Parquet") from None
    return pyarrow


def write_parquet(path: Path, answers: Iterable[Answer], *, labels: Sequence[str]) -> str:
    """Write the rows, packed as the answers come; the SHA-256 of the file."""
    arrow = pyarrow()
    schema = _schema(arrow, labels)
    packed = arrow.BufferOutputStream()
    with arrow.parquet.ParquetWriter(packed, schema, compression="zstd") as writer:
        rows: list[dict[str, Any]] = []
        for answer in answers:
            rows.extend(_rows(answer))
            if len(rows) >= ROWS_AT_ONCE:
                writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
                rows = []
        if rows:
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
    content = packed.getvalue().to_pybytes()
    write_bytes(path, content)
    return sha256(content).hexdigest()


def _schema(arrow: Any, labels: Sequence[str]) -> Any:
    """``probabilities`` has a field for each outcome that there is; null where it was not allowed."""
    string, int64, float64 = arrow.string(), arrow.int64(), arrow.float64()
    span = [("text", string), ("start", int64), ("end", int64)]
    spans = arrow.list_(arrow.struct(span))
    arguments = [
        (f"{side}_{name}", kind) for side in ("arg1", "arg2") for name, kind in (*span, ("parts", spans))
    ]
    return arrow.schema(
        [
            ("document", string),
            ("document_sha256", string),
            ("index", int64),
            ("kind", string),
            ("sense", string),
            ("probability", float64),
            ("probabilities", arrow.struct([(label, float64) for label in labels])),
            ("presence", float64),
            ("connective", string),
            ("connective_parts", spans),
            *arguments,
            ("entities", arrow.list_(arrow.struct([("chain", string), ("arg1", spans), ("arg2", spans)]))),
            ("explanation", string),  # JSON, with --explain
        ]
    )


def _rows(answer: Answer) -> Iterator[dict[str, Any]]:
    for place, prediction in enumerate(answer.relations):
        row = prediction.to_json()
        for side in ("arg1", "arg2"):
            row |= {f"{side}_{name}": value for name, value in row.pop(side).items()}
        row |= {"document": answer.name, "document_sha256": answer.sha256, "explanation": None}
        if answer.explanations is not None:
            row["explanation"] = json.dumps(answer.explanations[place].to_json(), ensure_ascii=False)
        yield row
