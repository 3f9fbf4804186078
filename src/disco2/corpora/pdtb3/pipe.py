"""The 34 pipe-separated fields of PDTB 3, which GDTB shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from disco2.corpora.decoding import lines_of
from disco2.errors import CorpusError
from disco2.records import Dirt

FIELDS = 34

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RawRelation:
    """One line as it stands in the file: spans are pairs of character offsets, senses are not yet checked.

    Whether the ends are inclusive (LDC's PDTB 3) or exclusive (GDTB) is for the reader of the corpus to say.
    ``senses`` are the filled ones of 1A, 1B, 2A and 2B, in that order.
    """

    kind: str
    connective_spans: Spans
    connectives: tuple[str, ...]  # Conn1 and, where filled, Conn2
    senses: tuple[str, ...]
    arg1_spans: Spans
    arg2_spans: Spans
    sup1_spans: Spans
    sup2_spans: Spans
    offset: str
    provenance: str
    link: str


def parse_spans(field: str) -> Spans:
    """``"3..7;9..12"`` -> ``((3, 7), (9, 12))``; an empty field has no spans."""
    if not field:
        return ()
    spans = []
    for piece in field.split(";"):
        start, dots, end = piece.partition("..")
        if not (dots and _is_offset(start) and _is_offset(end)):
            raise CorpusError(f"'{piece}' is not a span of the form 12..34.")
        span = int(start), int(end)
        if span[1] < span[0]:
            raise CorpusError(f"The span '{piece}' ends before it starts.")
        spans.append(span)
    return tuple(spans)


def _is_offset(text: str) -> bool:
    return text.isdecimal() and len(text) < 10


def parse_pdtb3_line(fields: Sequence[str]) -> RawRelation:
    """The relation in one line's fields; raises CorpusError, without a place, where they can't be one."""
    if len(fields) != FIELDS:
        raise CorpusError(f"{len(fields)} fields between pipes where PDTB 3 has {FIELDS}.")
    fields = list(map(str.strip, fields))
    return RawRelation(
        kind=fields[0],
        connective_spans=parse_spans(fields[1]),
        connectives=tuple(fields[i] for i in (7, 10) if fields[i] not in ("", "_")),
        senses=tuple(fields[i] for i in (8, 9, 11, 12) if fields[i] not in ("", "_")),
        arg1_spans=parse_spans(fields[14]),
        arg2_spans=parse_spans(fields[20]),
        sup1_spans=parse_spans(fields[13]),
        sup2_spans=parse_spans(fields[26]),
        offset=fields[31],
        provenance=fields[32],
        link=fields[33],
    )


def read_pdtb3_lines(text: str, *, where: str, dirt: Dirt) -> Iterator[tuple[int, RawRelation]]:
    """The line number and relation of every good line; bad ones are reported and skipped."""
    for number, line in enumerate(lines_of(text), start=1):
        if not line.strip():
            continue
        try:
            yield number, parse_pdtb3_line(line.split("|"))
        except CorpusError as error:
            detail = f"{error.what} The line was skipped."
            dirt.add("bad relation line", where=f"{where}:{number}", detail=detail)
