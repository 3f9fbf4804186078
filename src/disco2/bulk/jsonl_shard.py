"""A shard of lines: in JSON one for each document, in CSV one for each relation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path

from disco2.bulk.answers import Answer
from disco2.files import write_text
from disco2.inference.prediction import COLUMNS, csv_lines, csv_row
from disco2.inference.results import relation_forms


def write_jsonl(path: Path, answers: Iterable[Answer]) -> str:
    """Write a line for each document as the answers come; the SHA-256 of the file."""
    return _write(path, map(_line, answers))


def write_csv(path: Path, answers: Iterable[Answer]) -> str:
    """Write a heading, then a line for each relation; the SHA-256 of the file."""
    rows = (csv_lines(csv_row(answer.name, one) for one in answer.relations) for answer in answers)
    return _write(path, chain([csv_lines([COLUMNS])], rows))


def _write(path: Path, pieces: Iterable[str]) -> str:
    total = sha256()

    def counted() -> Iterator[str]:
        for piece in pieces:
            total.update(piece.encode(errors="replace"))  # as the file has it
            yield piece

    write_text(path, counted())
    return total.hexdigest()


def _line(answer: Answer) -> str:
    content = {
        "document": answer.name,
        "sha256": answer.sha256,
        "sentences": answer.sentences,
        "relations": relation_forms(answer.relations, answer.explanations),
    }
    return json.dumps(content, ensure_ascii=False) + "\n"
