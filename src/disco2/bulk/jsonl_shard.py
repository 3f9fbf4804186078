"""A shard of JSON lines: one for each document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from disco2.bulk.answers import Answer
from disco2.files import write_text
from disco2.inference.json_form import relation_forms


def write_jsonl(path: Path, answers: Iterable[Answer]) -> str:
    """Write the lines as the answers come; the SHA-256 of the file."""
    total = sha256()

    def lines() -> Iterator[str]:
        for answer in answers:
            line = _line(answer)
            total.update(line.encode())
            yield line

    write_text(path, lines())
    return total.hexdigest()


def _line(answer: Answer) -> str:
    content = {
        "document": answer.name,
        "sha256": answer.sha256,
        "sentences": answer.sentences,
        "relations": relation_forms(answer.relations, answer.explanations),
    }
    return json.dumps(content, ensure_ascii=False) + "\n"
