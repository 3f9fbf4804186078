"""The pipe encoding of PDTB 2: one relation a line, 48 fields between pipes, as PDTB's converter writes it.

That converter loses the second sense of an AltLex and the line ends inside texts: the native files know more.

| fields, from 0 | meaning |
| --- | --- |
| 0 / 1 / 2 | type / section / file number |
| 3, 4, 5 | connective or AltLex: spans, Gorn addresses, text |
| 6 / 7 | string position / sentence number (Implicit, EntRel, NoRel) |
| 8 / 9 / 10 | head of an explicit connective / first / second inserted connective |
| 11, 12 / 13, 14 | senses of the head, the AltLex or the first connective / of the second |
| 15-21 | attribution of the relation |
| 22, 23, 24 / 25-31 | Arg1: spans, Gorn addresses, text / its attribution |
| 32, 33, 34 / 35-41 | Arg2 alike |
| 42-44 / 45-47 | Sup1 / Sup2 |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from disco2.corpora.decoding import lines_of
from disco2.corpora.pdtb2.relation import Pdtb2Relation, selection
from disco2.errors import CorpusError
from disco2.records import Dirt, RelationKind

FIELDS = 48


def looks_piped(text: str) -> bool:
    """Whether the first line that says anything is meant as a relation, broken or not."""
    first = next((line for line in lines_of(text) if line.strip()), "")
    kind, pipe, _ = first.partition("|")
    return bool(pipe) and (kind.strip() in set(RelationKind) or first.count("|") >= FIELDS // 4)


def parse_pipe(text: str, *, where: str, dirt: Dirt) -> Iterator[Pdtb2Relation]:
    """The relations of a pipe file; lines that are none are reported and skipped."""
    number = 0
    for line, row in enumerate(lines_of(text), start=1):
        if not row.strip():
            continue
        number += 1
        try:
            yield _relation(row.split("|"), number, line)
        except CorpusError as error:
            dirt.add(
                "bad relation line",
                where=f"{where}:{line}",
                detail=f"relation {number}: {error.what} It was skipped.",
            )


def _relation(fields: Sequence[str], number: int, line: int) -> Pdtb2Relation:
    if len(fields) != FIELDS:
        raise CorpusError(f"{len(fields)} fields between pipes where PDTB 2 has {FIELDS}.")
    kind = fields[0].strip()
    anchor = selection(*fields[3:6])
    connectives = [anchor.text] if kind == RelationKind.ALTLEX else fields[8:11]
    return Pdtb2Relation(
        number=number,
        line=line,
        kind=kind,
        connectives=tuple(connective.strip() for connective in connectives if connective.strip()),
        senses=tuple(sense.strip() for sense in fields[11:15] if sense.strip()),
        anchor=anchor,
        arg1=selection(*fields[22:25]),
        arg2=selection(*fields[32:35]),
    )
