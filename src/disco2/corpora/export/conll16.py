"""Predictions as the CoNLL-2016 shared task on shallow discourse parsing takes them.

One JSON object a line, as for the supplementary task: the given relation's ID, document and arguments, with
the Sense filled in. Token lists number the document's tokens from 0, as ``parses.json`` has them in order.
No text of the corpus goes into the file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from disco2.corpora.conll16.identity import written_identity
from disco2.corpora.export.exported import Exported
from disco2.corpora.task import CONLL16_SENSES
from disco2.files import write_text
from disco2.records import Relation, RelationKind

# The validator knows no other types, and refuses NoRel.
_TYPES = {
    RelationKind.EXPLICIT: "Explicit",
    RelationKind.IMPLICIT: "Implicit",
    RelationKind.ALTLEX: "AltLex",
    RelationKind.ALTLEXC: "AltLex",
    RelationKind.ENTREL: "Implicit",  # EntRel only if the prediction says so
}
ENTREL = "EntRel"
NOREL = "NoRel"


def write_conll16_predictions(relations: Sequence[Relation], labels: Sequence[str], path: Path) -> Exported:
    """Write them all but those that have no type in this form, and those whose label is NoRel."""
    left_out = Counter(
        f"are {relation.kind}" if relation.kind not in _TYPES else f"are labelled {NOREL}"
        for relation, label in zip(relations, labels, strict=True)
        if relation.kind not in _TYPES or label == NOREL
    )
    records = [
        _record(relation, label)
        for relation, label in zip(relations, labels, strict=True)
        if relation.kind in _TYPES and label != NOREL
    ]
    write_text(path, (json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    notes = [
        f"{count} relations {why}, which the shared task does not have: left out"
        for why, count in sorted(left_out.items())
    ]
    if strange := sorted(set(labels) - set(CONLL16_SENSES) - {NOREL}):
        notes.append(
            f"no senses of the shared task, so that its validator will refuse them: {', '.join(strange)}"
        )
    return Exported((path,), len(records), tuple(notes))


def _record(relation: Relation, label: str) -> dict[str, object]:
    kind = _TYPES[relation.kind]
    return {
        "ID": written_identity(relation.id),
        "DocID": relation.document,
        "Type": ENTREL if label == ENTREL and kind != "Explicit" else kind,
        "Sense": [label],
        "Connective": {"TokenList": list(relation.connective_tokens)},
        "Arg1": {"TokenList": list(relation.arg1.tokens)},
        "Arg2": {"TokenList": list(relation.arg2.tokens)},
    }
