"""Predictions on any corpus as a ``.rels`` table of DISRPT 2025.

The label column says what the model says, in DISRPT 2025's labels where the senses are PDTB's; all others say
what the corpus says. Units stand in text order, tokens are numbered from 1 within the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from disco2.corpora.export.disrpt_labels import label_2025
from disco2.corpora.export.exported import Exported
from disco2.corpora.tokens import runs
from disco2.files import write_text
from disco2.records import Corpus, Document, Relation, RelationKind

COLUMNS = (
    "doc",
    "unit1_toks",
    "unit2_toks",
    "unit1_txt",
    "unit2_txt",
    "u1_raw",
    "u2_raw",
    "s1_toks",
    "s2_toks",
    "unit1_sent",
    "unit2_sent",
    "dir",
    "rel_type",
    "orig_label",
    "label",
)
GAP = " <*> "
NOTHING = "_"


def write_table(corpus: Corpus, relations: Sequence[Relation], labels: Sequence[str], path: Path) -> Exported:
    """Write a header and a line for each relation but NoRel, and no line twice."""
    left_out: Counter[str] = Counter()
    lines: dict[str, None] = {}
    as_they_are: set[str] = set()
    for relation, label in zip(relations, labels, strict=True):
        first, second = sorted((relation.arg1.tokens, relation.arg2.tokens))
        if relation.kind is RelationKind.NOREL:
            left_out["are NoRel, which the shared task does not have"] += 1
            continue
        if first[0] == second[0]:
            left_out["have arguments that begin with the same token"] += 1
            continue
        mapped = label_2025(label)
        if mapped is None:
            as_they_are.add(label)
        line = "\t".join(_cells(relation, corpus.documents[relation.document], mapped or label))
        if line in lines:
            left_out["repeat a line"] += 1
        lines[line] = None
    write_text(path, (line + "\n" for line in ("\t".join(COLUMNS), *lines)))
    notes = [f"{count} relations {why}: left out" for why, count in sorted(left_out.items())]
    if as_they_are:
        notes.append(f"without a label of DISRPT 2025, written as they are: {', '.join(sorted(as_they_are))}")
    return Exported((path,), len(lines), tuple(notes))


def _cells(relation: Relation, document: Document, label: str) -> list[str]:
    units = sorted((relation.arg1.tokens, relation.arg2.tokens))
    sentences = [_sentences_of(document, unit) for unit in units]
    named = relation.kind in (RelationKind.ENTREL, RelationKind.HYPOPHORA)
    annotated = ";".join(relation.senses) or (str(relation.kind) if named else NOTHING)
    cells = [
        relation.document,
        *map(_ranges, units),
        *(_words(document, unit) for unit in units),
        *(_raw(document, unit) for unit in units),
        *map(_ranges, sentences),
        *(_words(document, sentence) for sentence in sentences),
        "1<2" if units[0] == relation.arg1.tokens else "1>2",
        relation.kind.lower(),
        annotated.casefold(),
        label,
    ]
    return [" ".join(cell.split()) or NOTHING for cell in cells]


def _ranges(tokens: Sequence[int]) -> str:
    """2, 3, 4, 8 -> ``3-5,9``."""
    return ",".join(f"{low + 1}-{high}" if high - low > 1 else str(high) for low, high in runs(tokens))


def _words(document: Document, tokens: Sequence[int]) -> str:
    return GAP.join(" ".join(document.words(range(low, high))) for low, high in runs(tokens))


def _raw(document: Document, tokens: Sequence[int]) -> str:
    places = ((document.tokens[low].start, document.tokens[high - 1].end) for low, high in runs(tokens))
    return GAP.join(document.text[start:end] for start, end in places)


def _sentences_of(document: Document, tokens: Sequence[int]) -> range:
    """All tokens from the sentence in which a unit begins to that in which it ends."""
    first, last = (document.sentences[document.sentence_index(token)] for token in (tokens[0], tokens[-1]))
    return range(first.start, last.end)
